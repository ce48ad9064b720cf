/** Detects when a message is done by reading its row, which costs less than calling the API. */
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
 * Reads rows by primary key over one connection, only while a message is awaited. The connection has the same settings as those of the service:
 * otherwise the query plan of an empty table would be kept, and the reads would cost more than the messages.
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
  const watching = watch().catch(() => undefined); // the waiting calls run into their timeout then
  cleanup.add(async () => {
    stopping.abort();
    await watching;
    await db.close();
  });
  return { until: (messageId) => marks.of(messageId) };
}
