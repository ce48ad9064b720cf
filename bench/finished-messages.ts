/** Tells when the service has finished with a message, from its row: cheaper for all than asking the API. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Cleanup } from './cleanup.js';
import { Marks } from './marks.js';

const pollMs = 20;
const finished = `SELECT id FROM messages WHERE id = ANY($1::uuid[]) AND status IN ('delivered', 'failed')`;

export interface FinishedMessages {
  /** Resolves when this message is delivered or has failed. */
  until(messageId: string): Promise<void>;
}

/** Watches over one connection, by primary key, only while somebody waits. */
export async function watchFinishedMessages(databaseUrl: string, cleanup: Cleanup): Promise<FinishedMessages> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'bench' });
  client.on('error', () => undefined); // the running query rejects, which is enough
  await client.connect();
  const marks = new Marks('finished');
  const stopping = new AbortController();
  const watch = async () => {
    while (!stopping.signal.aborted) {
      const ids = marks.awaited();
      const { rows } =
        ids.length === 0 ? { rows: [] } : await client.query<{ id: string }>({ name: 'finished', text: finished, values: [ids] });
      for (const { id } of rows) marks.note(id);
      await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const watching = watch().catch(() => undefined); // then those who wait run into their limit
  cleanup.add(async () => {
    stopping.abort();
    await watching;
    await client.end();
  });
  return { until: (messageId) => marks.of(messageId) };
}
