/** A whole service for one test file: own database, own namespace, the real API and worker processes, which tests may kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { keepPrepared } from '../../activities/worker/keep-prepared.js';
import type { Providers } from '../../activities/handoff/providers/provider.js';
import { type RunningWorkers, startWorkers } from '../../activities/worker/workers.js';
import { type Config, loadConfig } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import { createLogger } from '../../models/process/logger.js';
import { queues } from '../../workflows/contract.js';
import { testEnv } from './config.js';
import { freshDatabase } from './database.js';
import { freePort } from '../../models/process/free-port.js';
import { asProgram } from './servers.js';
import { testAuthorityPem, trustTestAuthority } from './network/receiver.js';
import { freshNamespace, type TestTemporal } from './temporal/temporal.js';

export interface ServiceOptions {
  env?: NodeJS.ProcessEnv;
  /** For the API process only. */
  apiEnv?: NodeJS.ProcessEnv;
  /** For the worker process only. */
  workerEnv?: NodeJS.ProcessEnv;
  /** Runs the worker in this process, with stand-ins around the providers. */
  wrapProviders?: (providers: Providers) => Providers;
  /** Another Temporal server than that of the run; it is closed with the service. */
  temporal?: TestTemporal;
  /** File for what the processes write, instead of the output of the test run. */
  logFile?: string;
  /** Starts without a worker. */
  withoutWorker?: boolean;
}

export interface Service {
  url: string;
  /** As the owner of the tables; the processes have another role. */
  db: Database;
  /** The address by which `db` is reached. */
  ownerUrl: string;
  config: Readonly<Config>;
  temporal: TestTemporal;
  api: Child;
  worker: Child;
  /** A further worker process, not started, with these settings over those of the service; it stops with the service. */
  anotherWorker(env?: NodeJS.ProcessEnv): Child;
  stop(): Promise<void>;
}

/** A process that can be killed and started again. */
export interface Child {
  start(): Promise<void>;
  /** SIGKILL, and it is gone when this resolves. */
  kill(): Promise<void>;
  /** SIGTERM. @returns the exit code; null where it did not run, or a signal ended it */
  stop(): Promise<number | null>;
  /** SIGSTOP: it does nothing until `unfreeze`. */
  freeze(): void;
  unfreeze(): void;
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const [database, temporal, port] = await Promise.all([freshDatabase(), options.temporal ?? freshNamespace(), freePort()]);
  const { address: TEMPORAL_ADDRESS, namespace: TEMPORAL_NAMESPACE } = temporal;
  const env = testEnv({ DATABASE_URL: asProgram(database.url), TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, PORT: String(port), ...options.env });
  const authority = join(env.DATA_DIR as string, 'authority.pem');
  writeFileSync(authority, await testAuthorityPem());
  const { PATH, NODE_V8_COVERAGE } = process.env;
  const childEnv = { PATH, NODE_V8_COVERAGE, NODE_EXTRA_CA_CERTS: authority, ...env };
  const config = loadConfig(env);
  const api = child('api/server.js', { ...childEnv, ...options.apiEnv }, options.logFile);
  const worker =
    options.wrapProviders === undefined
      ? child('activities/worker.js', { ...childEnv, ...options.workerEnv }, options.logFile)
      : workerHere(config, database.db, options.wrapProviders);
  const others: Child[] = [];
  const service: Service = {
    url: `http://127.0.0.1:${port}`,
    db: database.db,
    ownerUrl: database.url,
    config,
    temporal,
    api,
    worker,
    anotherWorker(more) {
      const other = child('activities/worker.js', { ...childEnv, ...options.workerEnv, ...more });
      others.push(other);
      return other;
    },
    stop: async () => {
      await Promise.all([api, worker, ...others].map((process) => process.stop()));
      await temporal.close();
      await database.drop();
    },
  };
  const started = await Promise.allSettled([api.start(), options.withoutWorker === true ? undefined : worker.start()]);
  const failed = started.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return service;
  await service.stop();
  throw failed.reason;
}

function child(script: string, env: NodeJS.ProcessEnv, logFile?: string): Child {
  let running: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = running;
    running = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return ending?.exitCode ?? null;
    const gone = once(ending, 'exit');
    ending.kill(signal);
    const [code] = (await gone) as [number | null];
    return code;
  };
  return {
    async start() {
      const output = logFile === undefined ? 'inherit' : openSync(logFile, 'a');
      // Without source maps, which cost each thread a tenth of a second of CPU at its start.
      const started = spawn(process.execPath, [resolve(import.meta.dirname, '../..', script)], {
        env,
        stdio: ['ignore', output, output, 'ipc'],
      });
      running = started;
      const failed = once(started, 'exit').then(([code]) => Promise.reject(new Error(`${script} ended with ${code}`)));
      await Promise.race([once(started, 'message'), failed]);
      failed.catch(() => undefined);
    },
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    freeze: () => running?.kill('SIGSTOP'),
    unfreeze: () => running?.kill('SIGCONT'),
  };
}

let runtimeInstalled = false;

function workerHere(config: Readonly<Config>, db: Database, wrapProviders: (providers: Providers) => Providers): Child {
  let workers: RunningWorkers | undefined;
  let connection: NativeConnection | undefined;
  let endKeeping: (() => Promise<void>) | undefined;
  const stop = async () => {
    await endKeeping?.();
    await workers?.stop();
    await connection?.close();
    workers = undefined;
    connection = undefined;
    endKeeping = undefined;
    return null;
  };
  const inThisProcess = () => {
    throw new Error('a worker in this process cannot be frozen');
  };
  return {
    async start() {
      if (!runtimeInstalled) Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR') });
      runtimeInstalled = true;
      await trustTestAuthority();
      const logger = createLogger('worker', config.logLevel);
      endKeeping = await keepPrepared(config, logger);
      connection = await NativeConnection.connect(config.temporalServer);
      workers = await startWorkers({ config, db, logger, connection, taskQueues: Object.values(queues), wrapProviders });
    },
    kill: () => Promise.reject(new Error('a worker in this process cannot be killed')),
    stop,
    freeze: inThisProcess,
    unfreeze: inThisProcess,
  };
}
