/** The effect of a tenant's slow batch on the batch of another tenant. */
import { openAccount } from '../../harness/load/account.js';
import { percentiles } from '../../harness/measure/pass.js';
import { batchIdOf, createSender, type Sender } from '../../harness/load/sender.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import type { Service } from '../../harness/stage/service.js';
import { connect, type Database } from '../../models/db/database.js';
import { untilBatchDelivered } from './batch-done.js';
import type { Outcome } from './outcome.js';

const recipients = 500;
const slowRecipients = 5_000;
const slowRate = 0.1;
const rounds = 8;
const slowerMax = 1.2;

/** Sends batches of 500, before and during a batch of 5,000 of another workspace at 0.1 messages per second. */
export async function besideSlowBatch(service: Service, cleanup: Cleanup): Promise<Outcome> {
  const db = connect(service.databaseUrl, 1);
  cleanup.add(() => db.close());
  const slow = createSender(service.baseUrl, (await openAccount(service.baseUrl)).apiKey);
  const other = createSender(service.baseUrl, (await openAccount(service.baseUrl)).apiKey);
  await batchSeconds(db, other); // warm-up
  const idle = await several(() => batchSeconds(db, other));
  batchIdOf(await slow.postBulk(slowRecipients, undefined, slowRate));
  const beside = await several(() => batchSeconds(db, other));
  const slower = beside / idle;
  return {
    lines: [
      `batch of ${recipients}: ${idle.toFixed(2)} s alone, ${beside.toFixed(2)} s beside a batch at ${slowRate}/s; ${slower.toFixed(2)} times`,
    ],
    violations:
      slower > slowerMax ? [`a batch beside a slow one takes ${slower.toFixed(2)} times as long; target: at most ${slowerMax}`] : [],
  };
}

/** Measures several times. @returns the median */
async function several(measure: () => Promise<number>): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) seconds.push(await measure());
  return percentiles(seconds).p50;
}

/** The seconds from the request until every message of a batch is delivered. */
async function batchSeconds(db: Database, sender: Sender): Promise<number> {
  const startedAt = performance.now();
  await untilBatchDelivered(db, batchIdOf(await sender.postBulk(recipients)));
  return (performance.now() - startedAt) / 1_000;
}
