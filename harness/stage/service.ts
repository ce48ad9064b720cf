/** A complete service for one run: `local/start.ts` as a child process, with its own folder and wide limits. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrl } from '../../local/postgres/postgres.js';
import type { ProcessIdentity } from '../../local/processes/process-identity.js';
import { type RunningProcess, runningAddresses } from '../../local/state/run-record.js';
import { loadSecrets } from '../../local/state/secrets.js';
import { readState } from '../../local/state/state-file.js';
import { settings } from '../../models/settings/settings.js';
import type { Cleanup } from './cleanup.js';

/** The processes that work on messages. */
export const partNames = ['API', 'worker', 'Temporal', 'PostgreSQL'] as const;
export type PartName = (typeof partNames)[number];

/** An object with one value per part. */
export const eachPart = <Value>(of: (part: PartName) => Value) =>
  Object.fromEntries(partNames.map((part) => [part, of(part)])) as Record<PartName, Value>;

export interface Service {
  baseUrl: string;
  databaseUrl: string;
  temporalAddress: string;
  /** The current process of this part. It changes when the launcher restarts the part. */
  part(name: PartName): ProcessIdentity | undefined;
}

/** The delay between hand-off and report. */
export const sandboxDelayMs = 50;
const startMsMax = 180_000;
/** The launcher needs less than 20 s for a graceful stop. */
const stopMsMax = 40_000;

/** Settings without effective limits, which log only errors. */
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
 * Starts the service and resolves when it is ready. It also ends if this process is killed, because the channel of the launcher closes then.
 * @param env settings in addition to the defaults of the bench
 */
export async function startService(dataDir: string, env: NodeJS.ProcessEnv, cleanup: Cleanup): Promise<Service> {
  const log = join(dataDir, 'launcher.log');
  const file = openSync(log, 'a', 0o600);
  const launcher = fork(join(import.meta.dirname, '../../local/start.js'), {
    env: { ...ownEnvironment(), ...wideLimits, DATA_DIR: dataDir, ...env },
    execArgv: ['--enable-source-maps'],
    detached: true, // Ctrl-C must reach only the bench, which then stops the launcher
    stdio: ['ignore', file, file, 'ipc'],
  });
  closeSync(file);
  cleanup.add(() => stopLauncher(launcher));
  await untilReady(launcher, log);
  return { ...addressesIn(dataDir), part: (name) => partIn(dataDir, name) };
}

/** The environment of this process without settings of the program, so that the service of the bench uses no configured servers. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in settings)));
}

/** The environment of a separately started process, with these servers and the secrets and files of this folder. */
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
  const ready = once(launcher, 'message', { signal }).then(() => true);
  const ended = once(launcher, 'exit', { signal }).then(() => false);
  ready.catch(() => undefined);
  ended.catch(() => undefined);
  if (!(await Promise.race([ready, ended]))) throw new Error(`The service could not start:\n${readFileSync(log, 'utf8')}`);
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
  // A signal during the stop makes the launcher kill all processes.
  const force = setTimeout(() => launcher.kill('SIGTERM'), stopMsMax);
  await ended;
  clearTimeout(force);
}
