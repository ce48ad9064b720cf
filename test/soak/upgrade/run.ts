/**
 * `npm run soak:upgrade -- --from <folder>`: upgrades a service from a former version while singles and paced pages are sent. The folder is a
 * checkout of the former version, built there. The schema is migrated under the running processes; then the workers of both versions run side
 * by side, and then the API processes. Judges what the carrier took against what clients were answered and what the books say.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect, type Database, openPool, select } from '../../../models/db/database.js';
import { freePort } from '../../support/network/free-port.js';
import { startTwilio, twilioEnv } from '../../support/carriers/twilio.js';
import { until } from '../../support/client.js';
import { testEnv } from '../../support/config.js';
import { type Child, child } from '../../support/parts/child.js';
import { asProgram, mochaGlobalSetup, mochaGlobalTeardown } from '../../support/servers.js';
import { freshNamespace } from '../../support/temporal/temporal.js';
import { openCarrier } from '../handoff/carrier.js';
import { startLoad } from '../handoff/load.js';
import { judge, openMessages } from '../handoff/verdict.js';
import { type Balancer, startBalancer } from './balancer.js';
import { type Cleanup, runToExit } from '../../../harness/stage/cleanup.js';
import { numbersFrom } from '../../../harness/report/number-options.js';
import { say, sayVerdict } from '../../../harness/report/say.js';

const { values } = parseArgs({
  options: { from: { type: 'string' }, messages: { type: 'string', default: '2000' }, seconds: { type: 'string', default: '100' } },
});
const { messages, seconds } = numbersFrom(1, { messages: values.messages, seconds: values.seconds });
const present = resolve(import.meta.dirname, '../../../..');
/** Between two steps of the upgrade, so that each state of the service gets a part of the load. */
const stepMs = (seconds * 1_000) / 6;
const settleMsMax = 5 * 60_000;
/** Starting, and twice the load. */
const runMsMax = 10 * 60_000 + 2 * seconds * 1_000 + settleMsMax;

/** The entry points of a version. */
const versionIn = (root: string, env: NodeJS.ProcessEnv) => ({
  migrate: async () => {
    const migration = spawn(process.execPath, [resolve(root, 'dist/models/migrate.js')], { env, stdio: 'inherit' });
    const [code] = (await once(migration, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the migration in ${root} ended with ${code}`);
  },
  api: (port: number) => child(resolve(root, 'dist/api/server.js'), { ...env, PORT: String(port) }),
  worker: () => child(resolve(root, 'dist/activities/worker.js'), env),
});
type Version = ReturnType<typeof versionIn>;

/** Upgrades step by step. @returns the exit codes of the former processes */
async function upgrade(former: { api: Child; worker: Child }, next: Version, { balancer, parts }: { balancer: Balancer; parts: Child[] }) {
  const started = async (part: Child) => {
    parts.push(part);
    await part.start();
    await sleep(stepMs);
  };
  const begunAt = performance.now();
  await next.migrate();
  say(`migrated under load in ${((performance.now() - begunAt) / 1_000).toFixed(1)} s`);
  await sleep(stepMs);
  await started(next.worker());
  const workerCode = await former.worker.stop();
  say('the workers are of the new version');
  await sleep(stepMs);
  const port = await freePort();
  await started(next.api(port));
  balancer.sendTo(port);
  const apiCode = await former.api.stop();
  say('the API is of the new version');
  return [workerCode, apiCode];
}

async function soak(from: string, cleanup: Cleanup): Promise<number> {
  cleanup.add(mochaGlobalTeardown);
  await mochaGlobalSetup();
  const place = await openPlace(cleanup);
  const counterpart = await startTwilio();
  cleanup.add(() => counterpart.close());
  const { port, balancer, db } = place;
  const url = `http://127.0.0.1:${balancer.port}`;
  const addresses = { DATABASE_URL: asProgram(place.url), MIGRATE_DATABASE_URL: place.url, PUBLIC_URL: url, CALLBACK_URL: url };
  const env = testEnv({
    PATH: process.env.PATH,
    ...place.temporal,
    ...addresses,
    ...twilioEnv(counterpart),
    LOG_LEVEL: 'error',
    DRAIN_SECONDS: '2',
  });
  const [before, after] = [versionIn(resolve(from), env), versionIn(present, env)];
  const former = { api: before.api(port), worker: before.worker() };
  const parts = [former.api, former.worker];
  cleanup.add(() => Promise.all(parts.map((part) => part.stop())));
  await before.migrate();
  await Promise.all(parts.map((part) => part.start()));
  const carrier = openCarrier(counterpart);
  const load = await startLoad({ url, db }, { messages, seconds });
  await sleep(stepMs);
  const codes = await upgrade(former, after, { balancer, parts });
  const sends = await load.ended;
  await until(async () => (await openMessages(db)) === 0, 'no message is open', settleMsMax).catch((error: Error) => say(error.message));
  await carrier.close();
  const { figures, violations } = await judge(db, counterpart, sends);
  for (const [what, count] of Object.entries(figures)) say(`${what.padEnd(60)} ${count}`);
  if (codes.some((code) => code !== 0)) violations.push(`the former processes ended with ${codes.join(' and ')}`);
  return sayVerdict(violations, 'nothing lost, handed off twice or charged twice during the upgrade');
}

interface Place {
  db: Database;
  /** The empty database, as the owner of its tables. */
  url: string;
  /** Of the former API. */
  port: number;
  balancer: Balancer;
  temporal: { TEMPORAL_ADDRESS: string; TEMPORAL_NAMESPACE: string };
}

/** An empty database and namespace, and the balancer. */
async function openPlace(cleanup: Cleanup): Promise<Place> {
  const server = process.env.TEST_DATABASE_SERVER ?? '';
  const name = `upgrade_${randomUUID().replaceAll('-', '')}`;
  const administrator = openPool(`${server}/postgres`, 1);
  await select(administrator, `CREATE DATABASE ${name}`);
  await administrator.close();
  const temporal = await freshNamespace();
  cleanup.add(() => temporal.close());
  const port = await freePort();
  const balancer = await startBalancer(port);
  cleanup.add(() => balancer.close());
  const url = `${server}/${name}`;
  const db = connect(url, 4);
  cleanup.add(() => db.close());
  return { db, url, port, balancer, temporal: { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: temporal.namespace } };
}

const { from } = values;
if (from === undefined) {
  say('Name the folder of the former version: npm run soak:upgrade -- --from <folder>');
  process.exitCode = 2;
} else {
  await runToExit(runMsMax, (cleanup) => soak(from, cleanup));
}
