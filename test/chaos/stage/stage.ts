/** Everything of a run: servers, two APIs behind a load balancer, two workers, carriers, receivers, and a fault proxy between any two parts. */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PortBook } from '../../../local/processes/ports.js';
import { RunRecord } from '../../../local/state/run-record.js';
import { testAuthorityPem } from '../../support/network/receiver.js';
import type { Opened } from '../carriers/carrier.js';
import { type CarrierKind, carrierKinds, openCarriers } from '../carriers/open-carriers.js';
import { Reporter } from '../carriers/reporter.js';
import type { HistoryWriter } from '../history.js';
import type { HookPlan } from '../load/plan.js';
import type { HookPlace } from '../load/workspace.js';
import type { Random } from '../random.js';
import { startHookReceiver } from '../receivers.js';
import type { Actor, Exit } from './actor.js';
import { Links } from './links.js';
import { makeProcess, type ServicePlace, type ServiceProcess } from './processes.js';
import { makeServers, type Programs, type Servers } from './servers.js';
import { serviceSettings } from './service-settings.js';

export interface Stage {
  servers: Servers;
  processes: ServiceProcess[];
  links: Links;
  carriers: Record<CarrierKind, Opened>;
  reporter: Reporter;
  /** The webhooks of each workspace, as planned. */
  hooks: HookPlace[][];
  /** host:port of each API, as clients reach it. */
  apiAddresses: string[];
  /** As carriers reach and sign it. */
  publicUrl: string;
  /** All processes. */
  actors: Actor[];
  /** Starts the servers, then the service. Resolves when all are ready. */
  start(): Promise<void>;
  /** Ends every process and counterpart. */
  close(): Promise<void>;
}

export interface StagePlan {
  folder: string;
  programs: Programs;
  random: Random;
  history: HistoryWriter;
  /** For each workspace. */
  hooks: HookPlan[][];
}

/** Creates the stage. Before `start`, only counterparts and proxies run. */
export async function openStage({ folder, programs, random, history, hooks: plans }: StagePlan): Promise<Stage> {
  const logDir = join(folder, 'logs');
  mkdirSync(logDir, { recursive: true });
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // every waiting part listens to it
  const ports = new PortBook(folder);
  const links = new Links();
  const hooks = { record: new RunRecord(folder), closing: closing.signal };
  const servers = await makeServers({ folder, logDir, ports }, programs, hooks);
  const apiPorts = [await ports.choose('api1'), await ports.choose('api2')];
  const publicUrl = `http://${await openBalancer(links, apiPorts)}`;
  const reporter = new Reporter(history, random.fork('reports'), closing.signal);
  const carriers = await openCarriers(random.fork('carriers'), { history, reporter, publicUrl });
  const place: ServicePlace = { folder, logDir, servers, links, settings: await settingsIn(folder, publicUrl) };
  const onExit = (process: ServiceProcess['kind'], exit: Exit) => void history.append({ type: 'exit', process, ...exit });
  const processes = await makeProcesses(apiPorts, carriers, place, { ...hooks, onExit });
  const receivers = await Promise.all(plans.map((each, workspace) => openHooks(each, workspace, links, random, history)));
  const clientsTo = (port: number, index: number) => links.open(`clients>api${index + 1}`, ['clients', 'api'], `127.0.0.1:${port}`);
  const parts = { servers, processes, links, carriers, reporter, hooks: receivers, publicUrl };
  return { ...parts, apiAddresses: await Promise.all(apiPorts.map(clientsTo)), ...lifeOf(parts, closing) };
}

async function settingsIn(folder: string, publicUrl: string): Promise<NodeJS.ProcessEnv> {
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, await testAuthorityPem());
  return { ...serviceSettings(publicUrl), NODE_EXTRA_CA_CERTS: authority, JWT_SECRET: secret(), SECRET_KEY: secret() };
}

/** The start and the end of the stage. */
function lifeOf(
  { servers, processes, links, carriers, hooks }: Omit<Stage, 'apiAddresses' | 'publicUrl' | 'actors' | 'start' | 'close'>,
  closing: AbortController,
): Pick<Stage, 'actors' | 'start' | 'close'> {
  const behind = [servers.postgres, servers.temporal, servers.redis];
  const service = processes.map(({ actor }) => actor);
  const startAll = (actors: readonly Actor[]) => Promise.all(actors.map((actor) => actor.start()));
  const closeAll = (parts: readonly { close(): Promise<void> }[]) => Promise.all(parts.map((part) => part.close()));
  return {
    actors: [...behind, ...service],
    start: async () => {
      await startAll(behind);
      await startAll(service);
    },
    close: once(async () => {
      closing.abort();
      await closeAll(service);
      await closeAll(behind);
      await closeAll([...Object.values(carriers), ...hooks.flat().map(({ receiver }) => receiver), links]);
      servers.disk.close();
    }),
  };
}

/** A second call waits for the first. */
function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= act());
}

const secret = () => randomBytes(32).toString('base64url');

/** The balancer that carriers call. It passes each connection to the next API. */
function openBalancer(links: Links, apiPorts: readonly number[]): Promise<string> {
  let turn = 0;
  return links.open('carriers>api', ['carrier', 'api'], () => {
    turn += 1;
    return `127.0.0.1:${apiPorts[turn % apiPorts.length]}`;
  });
}

type ProcessHooks = Parameters<typeof makeProcess>[4];

/** Two APIs and two workers. */
async function makeProcesses(apiPorts: readonly number[], carriers: Stage['carriers'], place: ServicePlace, hooks: ProcessHooks) {
  const apis = apiPorts.map((port, index) => makeApi(index + 1, port, carriers, place, hooks));
  const workers = [1, 2].map((number) => makeWorker(number, carriers, place, hooks));
  return Promise.all([...apis, ...workers]);
}

/** An API knows the carriers by their settings only, to verify what they post. */
function makeApi(number: number, port: number, carriers: Stage['carriers'], place: ServicePlace, hooks: ProcessHooks) {
  const known = carrierKinds.map((kind) => carriers[kind].settings(carriers[kind].address));
  return makeProcess('api', number, { ...Object.assign({}, ...known), ...routes, PORT: String(port) }, place, hooks);
}

/** A worker reaches each carrier through its own proxy. */
async function makeWorker(number: number, carriers: Stage['carriers'], place: ServicePlace, hooks: ProcessHooks) {
  const known = await Promise.all(
    carrierKinds.map(async (kind) =>
      carriers[kind].settings(await place.links.open(`worker${number}>${kind}`, ['worker', 'carrier'], carriers[kind].address)),
    ),
  );
  return makeProcess('worker', number, { ...Object.assign({}, ...known), ...routes }, place, hooks);
}

/** Two accounts share each channel where possible, so that routing is tested too. */
const routes = {
  PROVIDER_ACCOUNTS: 'backup=twilio',
  PROVIDER_SMS: 'twilio=5,backup=1',
  PROVIDER_WHATSAPP: 'meta',
  PROVIDER_EMAIL: 'ses=2,smtp=1',
};

function openHooks(
  plans: readonly HookPlan[],
  workspace: number,
  links: Links,
  random: Random,
  history: HistoryWriter,
): Promise<HookPlace[]> {
  return Promise.all(
    plans.map(async (plan, index) => {
      const receiver = await startHookReceiver(plan.kind, random.fork(`hook ${workspace}.${index}`), history);
      const address = await links.open(`workers>hook${workspace}.${index}`, ['worker', 'receiver'], `127.0.0.1:${receiver.port}`);
      return { plan, receiver, url: `https://${address}/hook` };
    }),
  );
}
