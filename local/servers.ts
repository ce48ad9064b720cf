/** Finds or starts PostgreSQL and Temporal. */
import { setTimeout as sleep } from 'node:timers/promises';
import { findTemporal } from './temporal/find-temporal.js';
import { type Launch, startPart } from './processes/launch.js';
import { newLog } from './processes/log-files.js';
import type { Part } from './processes/part.js';
import { clusterDir, databaseUrl, makeCluster, postgresPart, postgresStop, serverVersion } from './postgres/postgres.js';
import { findPostgres } from './postgres/postgres-binaries.js';
import { settlePostmasterFile } from './postgres/postmaster-file.js';
import { reasonOf, StartError } from './output/start-error.js';
import { forgetClientSettings } from './plan/user-environment.js';
import { temporalPart } from './temporal/temporal.js';
import { requireTemporal } from './temporal/temporal-probe.js';

const attempts = 3;
/** A server that fails later than this after its start does not fail because its port is in use. */
const promptFailureMs = 10_000;

/**
 * Uses the configured PostgreSQL, or starts the embedded one.
 * @returns its URL, and whether its data are new
 */
export async function providePostgres(launch: Launch, password: string): Promise<{ url: string; isNew: boolean }> {
  const { plan, output, ports } = launch;
  if (!plan.embedsPostgres) return { url: await configuredDatabase(launch), isNew: false };
  forgetClientSettings();
  const place = { binaries: await findPostgres(), dataDir: plan.config.dataDir, password, log: newLog(launch.logDir, 'postgres') };
  return output.step(
    async () => {
      const isNew = await makeCluster(place, launch.run);
      await settlePostmasterFile(clusterDir(place.dataDir), postgresStop);
      const port = await startServer(launch, async () => {
        const chosen = await ports.choose('postgres');
        return { part: postgresPart(place, chosen), result: chosen };
      });
      const url = databaseUrl(password, port);
      return { url, isNew, port, version: await serverVersion(url) };
    },
    ({ version, port }) => `PostgreSQL ${version} on 127.0.0.1:${port}`,
  );
}

/**
 * Uses the configured Temporal, or starts the embedded one.
 * @returns its address, and that of its Web UI if it is embedded
 */
export async function provideTemporal(launch: Launch): Promise<{ address: string; ui: string | null }> {
  const { plan, output, ports, logDir } = launch;
  const { temporalServer, temporalNamespace: namespace, dataDir } = plan.config;
  if (!plan.embedsTemporal) {
    await output.step(
      () => requireTemporal(temporalServer, namespace),
      (version) => `Temporal ${version} at ${temporalServer.address}`,
    );
    return { address: temporalServer.address, ui: null };
  }
  const found = await findTemporal({ env: plan.env, logDir, say: (line) => output.note(line), run: launch.run });
  const log = newLog(launch.logDir, 'temporal');
  const chosen = await output.step(
    () =>
      startServer(launch, async () => {
        const result = { port: await ports.choose('temporal', 7233), uiPort: await ports.choose('temporal_ui', 8233) };
        return { part: temporalPart({ found, dataDir, namespace, ...result, log }), result };
      }),
    ({ port }) => `Temporal ${found.server} on 127.0.0.1:${port}, from ${found.path}`,
  );
  return { address: `127.0.0.1:${chosen.port}`, ui: `http://127.0.0.1:${chosen.uiPort}` };
}

/** Starts a server, with retries: another program may take the port between choosing and listening, and a killed PostgreSQL may still be ending. */
async function startServer<T>(launch: Launch, make: () => Promise<{ part: Part; result: T }>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const { part, result } = await make();
    const startedAt = performance.now();
    try {
      await startPart(launch, part);
      return result;
    } catch (error) {
      if (attempt === attempts || performance.now() - startedAt > promptFailureMs) throw error;
      await sleep(500, undefined, { signal: launch.cancel });
    }
  }
}

async function configuredDatabase({ plan, output }: Launch): Promise<string> {
  const { databaseUrl: url } = plan.config;
  const { host, pathname } = new URL(url);
  await output.step(
    () =>
      serverVersion(url).catch((error: unknown) => {
        throw new StartError(`PostgreSQL at ${host}${pathname} (DATABASE_URL) cannot be used: ${reasonOf(error)}.`);
      }),
    (version) => `PostgreSQL ${version} at ${host}${pathname}`,
  );
  return url;
}
