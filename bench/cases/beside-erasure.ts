/** The effect of an erasure on other tenants, and its duration. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openAccount } from '../../harness/load/account.js';
import { batchIdOf, createSender, dataOf, type Sender } from '../../harness/load/sender.js';
import { steadySends, formatLatency } from '../../harness/load/steady-sends.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import type { Service } from '../../harness/stage/service.js';
import { connect, type Database, select } from '../../models/db/database.js';
import { untilBatchDelivered } from './batch-done.js';
import type { Outcome } from './outcome.js';

const recipient = '+15557654321';
const messages = 10_000;
const othersMessages = 50_000;
const perBatch = 10_000;
const sendsPerSecond = 100;
const idleSeconds = 20;
const slowerMax = 1.2;
const secondsMax = 60;
const lookEveryMs = 250;

/** Sends messages of another tenant at a fixed rate, before and during the erasure of 10,000 of 60,000 messages. */
export async function besideErasure(service: Service, cleanup: Cleanup): Promise<Outcome> {
  const db = connect(service.databaseUrl, 1);
  cleanup.add(() => db.close());
  const erasing = createSender(service.baseUrl, (await openAccount(service.baseUrl)).apiKey);
  const other = createSender(service.baseUrl, (await openAccount(service.baseUrl)).apiKey);
  await sendBatches(db, erasing);
  await steadySends(other, 5, sendsPerSecond); // warm-up
  const idle = await steadySends(other, idleSeconds, sendsPerSecond);

  const erasedIn = erase(erasing);
  const beside = await steadySends(other, idleSeconds, sendsPerSecond);
  const seconds = await erasedIn;
  const [left] = await select<{ count: number }>(db, `SELECT count(*) FROM messages WHERE "to" = $1`, [recipient]);
  const slower = beside.p95 / idle.p95;
  return {
    lines: [
      `erasure of ${messages} messages: completed after ${seconds.toFixed(1)} s, ${left?.count} messages left`,
      `  sends before  ${formatLatency(idle)}`,
      `  sends beside  ${formatLatency(beside)}; p95 ${slower.toFixed(2)} times`,
    ],
    violations: [
      ...(seconds > secondsMax ? [`the erasure took ${seconds.toFixed(0)} s`] : []),
      ...(left?.count === 0 ? [] : ['messages of the recipient are left']),
      ...(slower > slowerMax ? [`sends beside an erasure take ${slower.toFixed(2)} times as long; target: at most ${slowerMax}`] : []),
    ],
  };
}

/** Sends real messages with attempts, reports and ledger entries, to the recipient and to others. */
async function sendBatches(db: Database, sender: Sender): Promise<void> {
  const toRecipient = Array.from({ length: messages }, () => ({ to: recipient }));
  const body = { channel: 'sms', content: { text: 'Your order is on its way.' }, recipients: toRecipient, allow_duplicates: true };
  await untilBatchDelivered(db, batchIdOf(await sender.postBatch(body)));
  for (let sent = 0; sent < othersMessages; sent += perBatch) await untilBatchDelivered(db, batchIdOf(await sender.postBulk(perBatch)));
}

/** @returns the seconds until the erasure is completed */
async function erase(sender: Sender): Promise<number> {
  const startedAt = performance.now();
  const answer = await sender.postTo('/erasures', { to: recipient });
  const { erasure } = dataOf<{ erasure: { id: string } }>(answer, 202);
  for (;;) {
    const { erasure: now } = dataOf<{ erasure: { status: string } }>(await sender.call('GET', `/erasures/${erasure.id}`));
    const seconds = (performance.now() - startedAt) / 1_000;
    if (now.status === 'completed') return seconds;
    if (seconds > 3 * secondsMax) throw new Error(`the erasure is not completed after ${seconds.toFixed(0)} s`);
    await sleep(lookEveryMs);
  }
}
