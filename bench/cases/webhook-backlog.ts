/** The backlog of an endpoint that was down, and how fast it is delivered when the endpoint is back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Database, select } from '../../models/db/database.js';
import { openAccount } from '../../harness/load/account.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { createSender, batchIdOf } from '../../harness/load/sender.js';
import { rateOf } from './webhook-latency.js';
import type { Outcome } from './outcome.js';
import type { Workbench } from '../../harness/stage/workbench.js';

const backlog = 10_000;
const perSecondMin = 300;
/** The first and the longest delay are also the first and longest pause of the circuit breaker. */
const retryDelays = [1, 2, 2, ...Array.from({ length: 15 }, () => 60)];
const lookEveryMs = 200;
const gatheredMsMax = 180_000;
const deliveredMsMax = 300_000;

export async function deliverBacklog({ service, receiver }: Workbench, _seconds: number, cleanup: Cleanup): Promise<Outcome> {
  const db = connect(service.databaseUrl, 1);
  cleanup.add(() => db.close());
  const endpoint = receiver.endpoint('backlog');
  endpoint.answer({ status: 503, afterMs: 0 });
  const { apiKey, subscribe } = await openAccount(service.baseUrl);
  endpoint.trust(await subscribe(endpoint.url, { events: ['message.delivered'], retry_delays: retryDelays }));
  const batchId = batchIdOf(await createSender(service.baseUrl, apiKey).postBulk(backlog));
  await until('the backlog is there', gatheredMsMax, async () => (await count(db, batchId, 'pending')) === backlog);
  const refused = endpoint.arrivals.length;
  endpoint.answer({ status: 200, afterMs: 0 });
  const recoveredAt = Date.now();
  await until('everything is delivered', deliveredMsMax, async () => (await count(db, batchId, 'succeeded')) === backlog);
  const arrivals = endpoint.arrivals.filter(({ at }) => at >= recoveredAt);
  const perSecond = rateOf(arrivals);
  const first = ((arrivals[0]?.at ?? Number.NaN) - recoveredAt) / 1000;
  return {
    lines: [
      `backlog of ${backlog} events: ${perSecond.toFixed(0)} events/s, from ${first.toFixed(1)} s after the endpoint was back`,
      `  ${refused} attempts while it was down, ${arrivals.length} afterwards`,
    ],
    violations: perSecond < perSecondMin ? [`a backlog goes out at ${perSecond.toFixed(0)} events/s`] : [],
  };
}

async function until(what: string, msMax: number, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + msMax;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${msMax / 1000} s: ${what}`);
    await sleep(lookEveryMs);
  }
}

async function count(db: Database, batchId: string, status: string): Promise<number> {
  const [row] = await select<{ count: number }>(db, counted, [batchId, status]);
  return row?.count ?? 0;
}

const counted = `
  SELECT count(*) AS count FROM deliveries d JOIN messages m ON m.id = d.message_id WHERE m.batch_id = $1 AND d.status = $2`;
