import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, select } from '../../models/db/database.js';

const lookEveryMs = 200;
const doneMsMax = 180_000;

// The newest first: counting all of them again and again would be a part of the measured work.
const isOpen = `SELECT 1 FROM messages WHERE batch_id = $1 AND status <> 'delivered' ORDER BY id DESC LIMIT 1`;

/** Resolves when all messages of the batch are delivered. @throws Error after three minutes */
export async function untilBatchDelivered(db: Database, batchId: string): Promise<void> {
  const until = performance.now() + doneMsMax;
  for (;;) {
    if ((await select(db, isOpen, [batchId])).length === 0) return;
    if (performance.now() > until) throw new Error(`not all messages of a batch were delivered after ${doneMsMax / 1000} s`);
    await sleep(lookEveryMs);
  }
}
