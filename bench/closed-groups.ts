/** Tells when the service has finished with a message, from the row that closes its group: cheaper for all than asking the API. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Cleanup } from './cleanup.js';
import { Marks } from './marks.js';

const pollMs = 20;
const closed = 'SELECT id FROM message_groups WHERE id = ANY($1::uuid[]) AND closed_at IS NOT NULL';

export interface ClosedGroups {
  /** Resolves when the group of this message is closed. A single message is a group of its own id. */
  until(messageId: string): Promise<void>;
}

/** Watches over one connection, by primary key, only while somebody waits. */
export async function watchClosedGroups(databaseUrl: string, cleanup: Cleanup): Promise<ClosedGroups> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'bench' });
  client.on('error', () => undefined); // the running query rejects, which is enough
  await client.connect();
  const marks = new Marks('closed');
  const stopping = new AbortController();
  const watch = async () => {
    while (!stopping.signal.aborted) {
      const ids = marks.awaited();
      const { rows } =
        ids.length === 0 ? { rows: [] } : await client.query<{ id: string }>({ name: 'closed', text: closed, values: [ids] });
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
