/** One batch as a careful client sends it, followed to its end while parts of the service die. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, select } from '../../../models/db/database.js';
import type { Sender } from '../../../harness/load/sender.js';
import { repeat, type Sends, sendBatch } from '../../../harness/load/soak-sends.js';

/** Slow enough that it lasts for twenty kills. */
const perSecond = 60;
const lookEveryMs = 500;
const handedOffMsMax = 600_000;

/** While it is being accepted. */
const strikeAfterMs = 600;

export interface SoakBatch {
  recipients: number;
  /** Kills the API. */
  strike: () => void;
  /** Cancel it when half of it was handed off. */
  cancels: boolean;
}

/** Sends one batch, whose acceptance is struck, and resolves when nothing of it waits for its hand-off any more. */
export async function sendInBatch(sender: Sender, db: Database, { recipients, strike, cancels }: SoakBatch): Promise<Sends> {
  const sends: Sends = { messageIds: new Set(), retries: 0, seconds: 0, violations: [] };
  const startedAt = performance.now();
  const struck = setTimeout(strike, strikeAfterMs);
  const batchId = await sendBatch(sender, recipients, perSecond, sends);
  clearTimeout(struck);
  if (batchId === undefined) return sends;
  const rows = await select<{ id: string }>(db, 'SELECT id FROM messages WHERE batch_id = $1', [batchId]);
  for (const { id } of rows) sends.messageIds.add(id);
  if (rows.length !== recipients) sends.violations.push(`${rows.length} messages for ${recipients} recipients`);
  let isCancelled = !cancels;
  for (let queued = recipients; queued > 0; queued = await queuedOf(db, batchId)) {
    if (!isCancelled && queued <= recipients / 2) {
      await cancel(sender, db, batchId, sends);
      isCancelled = true;
    }
    if (performance.now() - startedAt > handedOffMsMax) {
      sends.violations.push(`not handed off within ${handedOffMsMax / 1000} s`);
      break;
    }
    await sleep(lookEveryMs);
  }
  sends.seconds = (performance.now() - startedAt) / 1000;
  return sends;
}

/** After the answer no call to the provider begins. */
async function cancel(sender: Sender, db: Database, batchId: string, sends: Sends): Promise<void> {
  await repeat('the cancel', () => sender.call('POST', `/messages/bulk/${batchId}/cancel`), sends);
  const answeredAt = new Date();
  await sleep(lookAgainMs);
  const late = await select(db, begunAfter, [batchId, answeredAt]);
  if (late.length > 0) sends.violations.push(`${late.length} calls to the provider begun after the cancel was answered`);
}

const lookAgainMs = 5_000;
const begunAfter = `
  SELECT a.message_id FROM send_attempts a JOIN messages m ON m.id = a.message_id WHERE m.batch_id = $1 AND a.started_at > $2`;

async function queuedOf(db: Database, batchId: string): Promise<number> {
  const [row] = await select<{ queued: number }>(db, `SELECT count(*) AS queued FROM messages WHERE batch_id = $1 AND status = 'queued'`, [
    batchId,
  ]);
  return row?.queued ?? 0;
}
