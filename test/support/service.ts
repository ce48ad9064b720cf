/** A whole service for one test file: own database, own namespace, the real API and worker processes, which tests may kill. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Providers } from '../../activities/handoff/providers/provider.js';
import { type Config, loadConfig } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import { initModels } from '../../models/tables/tables.js';
import { type Child, child } from './parts/child.js';
import { testEnv } from './config.js';
import { freshDatabase } from './database.js';
import { freePort } from './network/free-port.js';
import { apiHere, workerHere } from './parts/in-this-process.js';
import { asProgram } from './servers.js';
import { testAuthorityPem } from './network/receiver.js';
import { freshNamespace, type TestTemporal } from './temporal/temporal.js';

export interface ServiceOptions {
  env?: NodeJS.ProcessEnv;
  /** For the API only. */
  apiEnv?: NodeJS.ProcessEnv;
  /** For the worker only. */
  workerEnv?: NodeJS.ProcessEnv;
  /** Runs API and worker in this process, which takes a quarter of the CPU of two processes. For tests that read no metrics. */
  isHere?: boolean;
  /** Runs only the API in this process. For tests that stop, kill or freeze the worker. */
  apiIsHere?: boolean;
  /** Runs only the worker in this process. For tests that stop or kill the API. */
  workerIsHere?: boolean;
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
  /** Stops the API in this process, and starts a process in its place, which stops with the service. After its end, `api.start()` goes on. */
  apiToKill(): Promise<Child>;
  /** The same for the worker. */
  workerToKill(): Promise<Child>;
  stop(): Promise<void>;
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const [database, temporal, port] = await Promise.all([freshDatabase(), options.temporal ?? freshNamespace(), freePort()]);
  const { address: TEMPORAL_ADDRESS, namespace: TEMPORAL_NAMESPACE } = temporal;
  const env = testEnv({ DATABASE_URL: asProgram(database.url), TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, PORT: String(port), ...options.env });
  const config = loadConfig(env);
  const { api, worker, processes } = await partsOf(env, options, database.db);
  const others: Child[] = [];
  const add = (other: Child) => (others.push(other), other);
  const replace = async (part: Child, other: Child) => {
    await part.stop();
    await add(other).start();
    return other;
  };
  const service: Service = {
    url: `http://127.0.0.1:${port}`,
    db: database.db,
    ownerUrl: database.url,
    config,
    temporal,
    api,
    worker,
    anotherWorker: (more) => add(processes.worker(more)),
    apiToKill: () => replace(api, processes.api()),
    workerToKill: () => replace(worker, processes.worker()),
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

/** API and worker, in this process or as processes of their own. */
async function partsOf(env: NodeJS.ProcessEnv, options: ServiceOptions, db: Database) {
  const { isHere = false, apiIsHere = isHere, workerIsHere = isHere, wrapProviders, apiEnv, workerEnv } = options;
  const processes = await processesOf(env, options);
  const here = (part: Child): Child => ({
    ...part,
    stop: () => {
      initModels(db); // the other part in this process may have them bound to the pool that this one closes
      return part.stop();
    },
  });
  const isWorkerHere = workerIsHere || wrapProviders !== undefined;
  return {
    processes,
    api: apiIsHere ? here(apiHere(loadConfig({ ...env, ...apiEnv }))) : processes.api(),
    worker: isWorkerHere ? here(workerHere(loadConfig({ ...env, ...workerEnv }), wrapProviders)) : processes.worker(),
  };
}

/** The processes of a service; they trust the test authority. */
async function processesOf(env: NodeJS.ProcessEnv, { apiEnv, workerEnv, logFile }: ServiceOptions) {
  const authority = join(env.DATA_DIR as string, 'authority.pem');
  writeFileSync(authority, await testAuthorityPem());
  const { PATH, NODE_V8_COVERAGE } = process.env;
  const common = { PATH, NODE_V8_COVERAGE, NODE_EXTRA_CA_CERTS: authority, ...env };
  return {
    api: () => child('api/server.js', { ...common, ...apiEnv }, logFile),
    worker: (more: NodeJS.ProcessEnv = {}) => child('activities/worker.js', { ...common, ...workerEnv, ...more }, logFile),
  };
}
