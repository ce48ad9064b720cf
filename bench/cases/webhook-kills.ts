/** Kills the worker while it sends events. No event may be lost, and each kill may repeat the events in flight once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup } from '../../local/processes/process-identity.js';
import { connect, select } from '../../models/db/database.js';
import { workflowTypes } from '../../workflows/contract.js';
import { openAccount } from '../../harness/load/account.js';
import { messageWorkflows, untilNoneRuns } from '../../harness/measure/open-workflows.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { happyEvents, type Endpoint } from '../../harness/load/receiver.js';
import type { Arrival } from '../../harness/load/receiver-process.js';
import { createSender } from '../../harness/load/sender.js';
import { type Sends, sendBatch } from '../../harness/load/soak-sends.js';
import type { Outcome } from './outcome.js';
import type { Workbench } from '../../harness/stage/workbench.js';

const kills = 10;
/** Before each kill, a batch of this size is sent and this many of its events have arrived. */
const recipients = 500;
const arrivedBeforeKill = 300;
/** The response time of the receiver, so that some events are always in flight. */
const answerMs = 50;
/** A request in flight may be read shortly after its sender was killed. */
const readLateMs = 500;
const settleMsMax = 240_000;

export async function killUnderWebhooks(bench: Workbench, _seconds: number, cleanup: Cleanup): Promise<Outcome> {
  const { service, receiver, client } = bench;
  const db = connect(service.databaseUrl, 1);
  cleanup.add(() => db.close());
  const endpoint = receiver.endpoint('kills');
  endpoint.answer({ status: 200, afterMs: answerMs });
  const { apiKey, subscribe } = await openAccount(service.baseUrl);
  endpoint.trust(await subscribe(endpoint.url));

  const sends: Sends = { messageIds: new Set(), retries: 0, seconds: 0, violations: [] };
  const batchIds: string[] = [];
  const killedAt: number[] = [];
  while (killedAt.length < kills && sends.violations.length === 0) {
    const before = endpoint.arrivals.length;
    batchIds.push((await sendBatch(createSender(service.baseUrl, apiKey), recipients, undefined, sends)) ?? '');
    while (endpoint.arrivals.length < before + arrivedBeforeKill) await sleep(1);
    const worker = service.part('worker');
    if (worker === undefined) continue;
    killedAt.push(Date.now());
    killGroup(worker);
  }
  await untilNoneRuns(client, [...messageWorkflows, workflowTypes.sendBatch], settleMsMax).catch((error: Error) =>
    sends.violations.push(error.message),
  );
  const [row] = await select<{ open: number }>(db, undelivered, [batchIds]);
  const { lines, violations } = judge(endpoint, batchIds.length * recipients * happyEvents.length, killedAt);
  if (row?.open !== 0) violations.push(`${row?.open} events are not recorded as delivered`);
  return { lines, violations: [...sends.violations, ...violations] };
}

const undelivered = `
  SELECT count(*) AS open FROM messages m LEFT JOIN deliveries d ON d.message_id = m.id
  WHERE m.batch_id = ANY($1::uuid[]) AND d.status IS DISTINCT FROM 'succeeded'`;

function judge({ arrivals }: Endpoint, expected: number, killedAt: readonly number[]): Outcome {
  const times = new Map<string, number[]>();
  for (const { messageId, event, at } of arrivals) times.set(`${messageId} ${event}`, [...(times.get(`${messageId} ${event}`) ?? []), at]);
  const repeated = [...times.values()].flatMap((of) => of.slice(1).map((at, index) => ({ from: of[index] as number, at })));
  const ofKills = repeated.map(({ from, at }) => killedAt.find((killed) => killed >= from - readLateMs && killed <= at));
  const perKill = killedAt.map((killed) => ofKills.filter((of) => of === killed).length);
  const unexplained = ofKills.filter((killed) => killed === undefined).length;
  return {
    lines: [
      `${killedAt.length} kills of the worker: ${expected} events, ${expected - times.size} lost, ${repeated.length} came twice`,
      `  by kill ${perKill.join(', ')}; the most in flight at once ${maxInFlight(arrivals)}`,
    ],
    violations: [
      ...(times.size === expected ? [] : [`${expected - times.size} events were lost`]),
      ...(unexplained === 0 ? [] : [`${unexplained} events came again without a kill`]),
    ],
  };
}

/** The maximum number of requests in progress at the same time. */
function maxInFlight(arrivals: readonly Arrival[]): number {
  let [highest, first] = [0, 0];
  for (const [index, { at }] of arrivals.entries()) {
    while ((arrivals[first]?.at ?? at) <= at - answerMs) first += 1;
    highest = Math.max(highest, index - first + 1);
  }
  return highest;
}
