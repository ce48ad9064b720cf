/** The embedded Temporal: the dev server with its Web UI, on a database file, on loopback only. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TypedSearchAttributes } from '@temporalio/common';
import { searchAttributes } from '../../workflows/contract.js';
import type { FoundTemporal } from './find-temporal.js';
import { type Part, untilItSays } from '../processes/part.js';
import { untilTemporalServes } from './temporal-probe.js';

const loopback = '127.0.0.1';
const sqlitePragmas = { journal_mode: 'wal', synchronous: 'normal' };
const dynamicConfig = {
  'system.enableActivityEagerExecution': true,
  'matching.enableFairness': true,
  'matching.useNewMatcher': true, // required for fairness; always on from 1.31
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
};

export interface TemporalPlace {
  found: FoundTemporal;
  dataDir: string;
  namespace: string;
  port: number;
  uiPort: number;
  log: string;
}

/** The server as a part. It is ready when its namespace answers. */
export function temporalPart(place: TemporalPlace): Part {
  const { port, uiPort, namespace } = place;
  const folder = join(place.dataDir, 'temporal');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const flags = {
    '--ip': [loopback],
    '--port': [port],
    '--ui-port': [uiPort],
    '--db-filename': ['temporal.db'],
    '--namespace': [namespace],
    '--sqlite-pragma': pairs(sqlitePragmas),
    '--search-attribute': Object.values(searchAttributes).map(({ name, type }) => `${name}=${TypedSearchAttributes.toMetadataType(type)}`),
    '--dynamic-config-value': pairs(dynamicConfig),
    '--log-level': ['error'],
  };
  const args = Object.entries(flags).flatMap(([flag, values]) => values.flatMap((value) => [flag, String(value)]));
  return {
    name: 'Temporal',
    command: resolve(place.found.path),
    args: ['server', 'start-dev', ...args, ...(place.found.canDisableNews ? ['--ui-disable-news-fetch'] : [])],
    // The server makes a URI of the file name and does not escape it, so the name has no folder.
    cwd: folder,
    env: serverEnv(),
    log: place.log,
    stop: [{ signal: 'SIGTERM', waitMs: 2_500 }],
    ipc: false,
    readyTimeoutMs: 60_000,
    ready: async (running, signal, notYet) => {
      // Its own output first: another Temporal may answer on the port while ours is about to find the port in use.
      await untilItSays(running, /Server:\s+\S+:\d+/, signal);
      await untilTemporalServes(`${loopback}:${port}`, namespace, signal, notYet);
    },
  };
}

const pairs = (values: Record<string, unknown>) => Object.entries(values).map(([name, value]) => `${name}=${value}`);

/** The collector runs eight times less often: a third more throughput, for some memory. TEMPORAL_* would change the command. */
function serverEnv(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_'));
  return { ...Object.fromEntries(others), GOGC: process.env.GOGC ?? '800' };
}
