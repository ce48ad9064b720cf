/** A complete service for one run: `local/start.ts` as a child, in a folder of its own, with wide limits. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrl } from '../../local/postgres/postgres.js';
import type { ProcessIdentity } from '../../local/processes/process-identity.js';
import { type RunningProcess, runningAddresses } from '../../local/processes/run-record.js';
import { loadSecrets } from '../../local/plan/secrets.js';
import { readState } from '../../local/plan/state-file.js';
import { settings } from '../../models/settings/settings.js';
import type { Cleanup } from './cleanup.js';

/** The parts that do a message's work. */
export const partNames = ['API', 'worker', 'Temporal', 'PostgreSQL'] as const;
export type PartName = (typeof partNames)[number];

/** A value for each of them. */
export const eachPart = <Value>(of: (part: PartName) => Value) =>
  Object.fromEntries(partNames.map((part) => [part, of(part)])) as Record<PartName, Value>;

export interface Service {
  baseUrl: string;
  databaseUrl: string;
  temporalAddress: string;
  /** The process that is this part now; another one after the launcher has started it again. */
  part(name: PartName): ProcessIdentity | undefined;
}

/** Milliseconds between hand-off and report. */
export const sandboxDelayMs = 50;
const startMsMax = 180_000;
/** The launcher needs less than 20 s to stop in good order. */
const stopMsMax = 40_000;

/** Settings under which nothing is refused for being too much, and only faults are logged. */
const wideLimits = {
  PORT: '0',
  LOG_LEVEL: 'warn',
  SIGNUP_CREDITS: '1000000',
  RATE_LIMIT_API: '1000000/60',
  RATE_LIMIT_JWT: '1000000/60',
  RATE_LIMIT_BULK: '1000000/60',
  RATE_LIMIT_WORKSPACE: '1000000/60',
  MAX_API_KEYS: '10000',
  MAX_WEBHOOKS: '1000',
  MAX_OPEN_BATCHES: '10000',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  SANDBOX_DELAY_MS: String(sandboxDelayMs),
};

/**
 * Starts it and resolves when it is ready. It ends with this process, however that ends: the launcher sees its channel close.
 * @param env settings beside the usual ones of the bench
 */
export async function startService(dataDir: string, env: NodeJS.ProcessEnv, cleanup: Cleanup): Promise<Service> {
  const log = join(dataDir, 'launcher.log');
  const file = openSync(log, 'a', 0o600);
  const launcher = fork(join(import.meta.dirname, '../../local/start.js'), {
    env: { ...ownEnvironment(), ...wideLimits, DATA_DIR: dataDir, ...env },
    execArgv: ['--enable-source-maps'],
    detached: true, // Ctrl-C is for the bench, which then stops the launcher
    stdio: ['ignore', file, file, 'ipc'],
  });
  closeSync(file);
  cleanup.add(() => stopLauncher(launcher));
  await untilReady(launcher, log);
  return { ...addressesIn(dataDir), part: (name) => partIn(dataDir, name) };
}

/** This process's environment without any setting of the program: the service of the bench uses nothing that is configured. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in settings)));
}

/** The environment of a process of ours that is started apart: with these servers, and the secrets and files of this folder. */
export function processEnvironment(folder: string, servers: Pick<Service, 'databaseUrl' | 'temporalAddress'>): NodeJS.ProcessEnv {
  const { jwt_secret, secret_key } = loadSecrets(folder);
  return {
    ...ownEnvironment(),
    ...wideLimits,
    DATA_DIR: folder,
    DATABASE_URL: servers.databaseUrl,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    JWT_SECRET: jwt_secret,
    SECRET_KEY: secret_key,
  };
}

async function untilReady(launcher: ChildProcess, log: string): Promise<void> {
  const signal = AbortSignal.timeout(startMsMax);
  const isReady = once(launcher, 'message', { signal }).then(() => true);
  const ended = once(launcher, 'exit', { signal }).then(() => false);
  isReady.catch(() => undefined);
  ended.catch(() => undefined);
  if (!(await Promise.race([isReady, ended]))) throw new Error(`The service could not start:\n${readFileSync(log, 'utf8')}`);
}

function addressesIn(dataDir: string): Pick<Service, 'baseUrl' | 'databaseUrl' | 'temporalAddress'> {
  const addresses = runningAddresses(dataDir);
  const ports = readState<Record<string, number>>(join(dataDir, 'ports.json'));
  if (addresses === undefined || ports?.postgres === undefined) throw new Error('the launcher left no addresses');
  return {
    baseUrl: addresses.api,
    databaseUrl: databaseUrl(loadSecrets(dataDir).database_password, ports.postgres),
    temporalAddress: `127.0.0.1:${ports.temporal}`,
  };
}

function partIn(dataDir: string, name: PartName): ProcessIdentity | undefined {
  const run = join(dataDir, 'run.json');
  if (!existsSync(run)) return undefined;
  return readState<{ processes: RunningProcess[] }>(run)?.processes.find((part) => part.name === name);
}

async function stopLauncher(launcher: ChildProcess): Promise<void> {
  if (launcher.exitCode !== null || launcher.signalCode !== null) return;
  const ended = once(launcher, 'exit');
  if (launcher.connected) launcher.disconnect();
  // A signal while it is stopping makes it end everything at once.
  const force = setTimeout(() => launcher.kill('SIGTERM'), stopMsMax);
  await ended;
  clearTimeout(force);
}
