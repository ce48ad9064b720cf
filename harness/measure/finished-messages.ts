/** Tells when the service has finished with a message, from its row: cheaper for all than asking the API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool, select } from '../../models/db/database.js';
import type { Cleanup } from '../stage/cleanup.js';
import { Marks } from './marks.js';

const pollMs = 20;
const finished = `SELECT id FROM messages WHERE id = ANY($1::uuid[]) AND status IN ('delivered', 'failed')`;

export interface FinishedMessages {
  /** Resolves when this message is delivered or has failed. */
  until(messageId: string): Promise<void>;
}

/**
 * Watches over one connection, by primary key, only while somebody waits. The connection is made as the service makes its own: with other
 * settings the plan of an empty table would stay, and its looks would cost the server more than the messages.
 */
export function watchFinishedMessages(databaseUrl: string, cleanup: Cleanup): FinishedMessages {
  const db = openPool(databaseUrl, 1);
  const marks = new Marks('finished');
  const stopping = new AbortController();
  const watch = async () => {
    while (!stopping.signal.aborted) {
      const ids = marks.awaited();
      const rows = ids.length === 0 ? [] : await select<{ id: string }>(db, finished, [ids]);
      for (const { id } of rows) marks.note(id);
      await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const watching = watch().catch(() => undefined); // then those who wait run into their limit
  cleanup.add(async () => {
    stopping.abort();
    await watching;
    await db.close();
  });
  return { until: (messageId) => marks.of(messageId) };
}
