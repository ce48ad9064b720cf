/** One batch as a careful client sends it, followed to its end while parts of the service die. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, select } from '../models/database.js';
import type { Sender } from './sender.js';
import { type Sends, sendBatch } from './soak-sends.js';

/** Slow enough that it lasts for twenty kills. */
const perSecond = 60;
const lookEveryMs = 500;
const handedOffMsMax = 600_000;

/** Sends one batch and resolves when all of it was handed off. */
export async function sendInBatch(sender: Sender, db: Database, recipients: number): Promise<Sends> {
  const sends: Sends = { messageIds: new Set(), retries: 0, seconds: 0, violations: [] };
  const startedAt = performance.now();
  const batchId = await sendBatch(sender, recipients, perSecond, sends);
  if (batchId === undefined) return sends;
  const rows = await select<{ id: string }>(db, 'SELECT id FROM messages WHERE batch_id = $1', [batchId]);
  for (const { id } of rows) sends.messageIds.add(id);
  if (rows.length !== recipients) sends.violations.push(`${rows.length} messages for ${recipients} recipients`);
  while ((await queuedOf(db, batchId)) > 0) {
    if (performance.now() - startedAt > handedOffMsMax) {
      sends.violations.push(`not handed off within ${handedOffMsMax / 1000} s`);
      break;
    }
    await sleep(lookEveryMs);
  }
  sends.seconds = (performance.now() - startedAt) / 1000;
  return sends;
}

async function queuedOf(db: Database, batchId: string): Promise<number> {
  const [row] = await select<{ queued: number }>(db, `SELECT count(*) AS queued FROM messages WHERE batch_id = $1 AND status = 'queued'`, [
    batchId,
  ]);
  return row?.queued ?? 0;
}
