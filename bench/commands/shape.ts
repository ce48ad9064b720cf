/**
 * `npm run bench:shape`: the processes as in production: a Temporal server on PostgreSQL, Redis for the limits, 1, 2 and 4 workers, 1 and 2
 * API processes. On one machine more processes do not increase the rate. The table shows whether a message costs the same in every shape,
 * and whether anything but the CPU limits the rate.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { connect, type Database } from '../../models/db/database.js';
import { openAccount } from '../../harness/load/account.js';
import { messageWorkflows, untilNoneRuns } from '../../harness/measure/open-workflows.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { type DiskWork, diskWorkOf, perMessage } from '../../harness/measure/disk-work.js';
import { watchFinishedMessages } from '../../harness/measure/finished-messages.js';
import { currentLoad, describeEnvironment, resultsDir, saveResults } from '../report/results.js';
import { runShapePass, sendInTurn, type ShapeBench, type ShapePass, summarizeShape } from '../cases/shape-pass.js';
import { migrateDatabase, type Shape, shapeEnvironment, startProcesses } from '../../harness/stage/shape-processes.js';
import { type ShapeFigures, shapeLines, type ShapeResults } from '../report/shape-report.js';
import { startServers } from '../../harness/stage/shape-servers.js';
import { openStage, type Stage } from '../../harness/stage/stage.js';
import { say, sayReport } from '../../harness/report/say.js';

/** Includes building the Temporal server. */
const runMsMax = 30 * 60_000;
const shapes: readonly Shape[] = [
  { workers: 1, apis: 1 },
  { workers: 2, apis: 1 },
  { workers: 4, apis: 1 },
  { workers: 2, apis: 2 },
  { workers: 4, apis: 2 },
];
/** Each shape is measured twice, in ascending and descending order, so that a slowing machine and growing tables affect all alike. */
const visits: readonly Shape[] = [...shapes, ...shapes.toReversed()];
const workspaces = 8;
/** A pass stops sending after this time, so that the run also ends on a slow machine. */
const secondsMax = 30;
const warmUp = { secondsMax: 150, clientsTimes: 4 };

interface Options {
  /** For each kind of load in each shape. */
  messages: number;
  /** The unmeasured warm-up messages per worker. */
  warmUpMessages: number;
  /** Clients per API process, so that each API process forms groups of the same size. */
  clients: number;
}

async function run({ messages, warmUpMessages, clients }: Options, cleanup: Cleanup): Promise<number> {
  const loadBefore = currentLoad();
  const stage = await openStage('shape', cleanup);
  say('Starting the servers…');
  const servers = await startServers(stage, say, cleanup);
  const env = shapeEnvironment(stage, servers);
  await migrateDatabase(stage, env);
  const connection = await Connection.connect({ address: servers.temporalAddress });
  const databases = { PostgreSQL: connect(servers.databaseUrl, 2), 'PostgreSQL of Temporal': connect(servers.temporalDatabaseUrl, 1) };
  const db = databases.PostgreSQL;
  cleanup.add(() => Promise.all([connection.close(), ...Object.values(databases).map((each) => each.close())]));
  const finished = watchFinishedMessages(servers.databaseUrl, cleanup);
  const bench: ShapeBench = { servers, client: new Client({ connection }), db, finished };

  const measured: Visit[] = [];
  const apiKeys: string[] = [];
  for (const shape of visits) {
    say(`${shape.workers} × worker, ${shape.apis} × API…`);
    measured.push(
      await visit({ stage, bench, databases, env, apiKeys }, shape, { messages, warmUpMessages, clients: clients * shape.apis }),
    );
  }
  const environment = await describeEnvironment({ client: bench.client, service: servers }, loadBefore);
  const results: ShapeResults = {
    at: new Date().toISOString(),
    environment,
    messages,
    shapes: shapes.map((shape) =>
      figuresOf(
        shape,
        clients * shape.apis,
        measured.filter((each) => each.shape === shape),
      ),
    ),
    disk: measured.map(({ disk }) => disk),
  };
  return sayReport('', ...shapeLines(results), '', `Kept in ${saveResults(results, join(resultsDir, 'shape'))}`);
}

interface Surroundings {
  stage: Stage;
  bench: ShapeBench;
  /** The two PostgreSQL servers. */
  databases: Readonly<Record<string, Database>>;
  env: NodeJS.ProcessEnv;
  /** The API keys of the workspaces, created through the first API process. */
  apiKeys: string[];
}

interface Visit {
  shape: Shape;
  spread: ShapePass;
  hot: ShapePass;
  /** The disk writes of each server per message. */
  disk: Record<string, DiskWork>;
}

/** Starts the shape, warms it up, and measures both kinds of load. */
async function visit({ stage, bench, databases, env, apiKeys }: Surroundings, shape: Shape, options: Options): Promise<Visit> {
  const { messages, warmUpMessages, clients } = options;
  const processes = await startProcesses(stage, env, shape);
  const [baseUrl = ''] = processes.baseUrls;
  while (apiKeys.length < workspaces) apiKeys.push((await openAccount(baseUrl)).apiKey);
  const sendSpread = sendInTurn(bench, processes, apiKeys);
  const sendHot = sendInTurn(bench, processes, apiKeys.slice(0, 1));
  const load = { messages: Math.ceil((messages * shapes.length) / visits.length), clients, secondsMax };
  // Each process compiles its own hot code, so the warm-up grows with the number of workers.
  await sendSpread({ messages: warmUpMessages * shape.workers, clients: clients * warmUp.clientsTimes, secondsMax: warmUp.secondsMax });
  await untilNoneRuns(bench.client, messageWorkflows);
  const before = await diskWorkOf(databases);
  const spread = await runShapePass(bench, processes, load, sendSpread);
  const hot = await runShapePass(bench, processes, load, sendHot);
  const disk = perMessage(before, await diskWorkOf(databases), spread.pass.sent.length + hot.pass.sent.length);
  await processes.stop();
  return { shape, spread, hot, disk };
}

const figuresOf = (shape: Shape, clients: number, measured: readonly Visit[]): ShapeFigures => ({
  shape,
  clients,
  spread: summarizeShape(
    workspaces,
    measured.map(({ spread }) => spread),
  ),
  hot: summarizeShape(
    1,
    measured.map(({ hot }) => hot),
  ),
});

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1200' },
    'warm-up': { type: 'string', default: '5000' },
    clients: { type: 'string', default: '32' },
  },
});
const [messages, warmUpMessages, clients] = [Number(values.messages), Number(values['warm-up']), Number(values.clients)];
if (!(messages > 0 && warmUpMessages >= 0 && clients > 0)) throw new Error('--messages, --warm-up and --clients must be positive numbers');
await runToExit(runMsMax, (cleanup) => run({ messages, warmUpMessages, clients }, cleanup));
