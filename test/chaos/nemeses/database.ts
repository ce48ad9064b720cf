/** The faults of PostgreSQL besides its end: terminated backends, and a full disk. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Nemesis } from './nemesis.js';

const roundMs = 700;

/** Repeatedly calls `pg_terminate_backend` for some connections of the service. */
export const backends: Nemesis = (stage, random) => {
  let isOver = false;
  let rounds: Promise<void> = Promise.resolve();
  const run = async () => {
    while (!isOver) {
      await terminateSome(stage.servers.databaseUrl, random.between(0.2, 0.8)).catch(() => undefined); // the server may be down
      await sleep(roundMs);
    }
  };
  return {
    name: 'backends',
    targets: ['postgres'],
    detail: 'some backends every 0.7 s',
    locks: ['backends'],
    lastsMs: random.between(1_000, 8_000),
    begin: () => {
      rounds = run();
    },
    end: async () => {
      isOver = true;
      await rounds;
    },
  };
};

async function terminateSome(url: string, share: number): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tidings' AND random() < $1`, [
      share,
    ]);
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** A write that needs a new block fails. A server that exits because of that is restarted until there is space. */
export const fullDisk: Nemesis = (stage, random) => {
  const { disk } = stage.servers;
  if (!disk.canBeFilled) return undefined;
  return {
    name: 'full',
    targets: ['disk', 'postgres'],
    detail: 'the disk of PostgreSQL',
    locks: ['disk'],
    lastsMs: random.between(4_000, 12_000),
    begin: () => disk.fill(),
    end: () => disk.free(),
  };
};
