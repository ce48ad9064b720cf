/** Five times as many sends as the service can accept: how many are accepted and refused, how a slow client is affected, and the recovery. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, select } from '../../models/db/database.js';
import { openAccount } from '../../harness/load/account.js';
import { closedLoop } from '../../harness/load/closed-loop.js';
import { usageOf } from '../../harness/measure/process-usage.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { prepareSteadySends } from '../../harness/load/sends.js';
import { createSender, type Sender } from '../../harness/load/sender.js';
import type { Service } from '../../harness/stage/service.js';
import { type SteadySends, steadySends, formatLatency } from '../../harness/load/steady-sends.js';
import type { Outcome } from './outcome.js';

/** The number of clients that measure the maximum rate. */
const clients = 100;
const times = 5;
/** After this time the service must be as fast as before. */
const recoverMs = 10_000;
/** The rate of the slow client, far below any limit. */
const politePerSecond = 2;

const goodputMin = 0.8;
const acceptedMsMax = 2_000;
const slowerMax = 1.5;

export async function overload(service: Service, apiKey: string, seconds: number, cleanup: Cleanup): Promise<Outcome> {
  const other = await openAccount(service.baseUrl);
  const polite = createSender(service.baseUrl, other.apiKey);
  const sender = createSender(service.baseUrl, apiKey);
  const before = await steadySends(sender, seconds / 2);
  const peak = await peakOf(sender, seconds);
  await sleep(recoverMs);
  const stored = await countMessages(service.databaseUrl);
  const rssBefore = rssOfApi(service);
  const sendAll = await prepareSteadySends({ baseUrl: service.baseUrl, apiKey, seconds, perSecond: times * peak }, cleanup);
  const [flood, politely] = await Promise.all([sendAll(), steadySends(polite, seconds, politePerSecond)]);
  const rssAfter = rssOfApi(service);
  const goodput = flood.accepted / seconds;
  await sleep(recoverMs);
  const after = await steadySends(sender, seconds / 2);
  const kept = (await countMessages(service.databaseUrl)) - stored - after.accepted - politely.accepted;

  const statuses = [...flood.statuses].map(([status, count]) => `${count} × ${status === 0 ? 'none' : status}`).join(', ');
  const lines = [
    `overload, peak           ${peak.toFixed(0)} messages/s with ${clients} clients`,
    `  before                 ${formatLatency(before)}`,
    `  at ${(times * peak).toFixed(0)}/s`.padEnd(25) +
      `${goodput.toFixed(0)} accepted/s (${((goodput / peak) * 100).toFixed(0)} % of the peak): ${statuses}`,
    `  those accepted         p50 ${flood.p50.toFixed(0)} ms, p99 ${flood.p99.toFixed(0)} ms`,
    `  the polite client      ${formatLatency(politely)}`,
    `  API                    ${rssBefore} MB → ${rssAfter} MB`,
    `  ${recoverMs / 1000} s later             ${formatLatency(after)}`,
  ];
  return { lines, violations: violationsOf({ flood, politely, before, after }, goodput / peak, kept) };
}

function violationsOf(
  { flood, politely, before, after }: Record<'flood' | 'politely' | 'before' | 'after', SteadySends>,
  share: number,
  kept: number,
): string[] {
  const odd = [...flood.statuses.keys()].filter((status) => status !== 201 && status !== 503);
  return [
    ...(flood.skipped > flood.sends / 10 ? [`${flood.skipped} sends could not be made: this machine is too busy for the bench`] : []),
    ...odd.map((status) => `under overload a send was answered ${status === 0 ? 'not at all' : status}`),
    ...(share < goodputMin ? [`only ${(share * 100).toFixed(0)} % of the peak is accepted`] : []),
    ...(flood.p99 > acceptedMsMax ? [`accepted sends take ${flood.p99.toFixed(0)} ms`] : []),
    ...(politely.failed > 0 ? [`${politely.failed} sends of a polite client were refused`] : []),
    ...(after.failed > 0 || after.p50 > slowerMax * before.p50 ? ['it is not as before'] : []),
    ...(kept === flood.accepted ? [] : [`${flood.accepted} sends were accepted and ${kept} messages are stored`]),
  ];
}

/** The accepted messages per second when every client waits for its response. */
async function peakOf(sender: Sender, seconds: number): Promise<number> {
  let number = 0;
  const sent = await closedLoop(() => sender.post((number += 1)), { messages: Number.MAX_SAFE_INTEGER, clients, secondsMax: seconds });
  return sent.length / seconds;
}

function rssOfApi(service: Service): string {
  const pid = service.part('API')?.pid ?? 0;
  return usageOf({ API: pid }).API.rssMb.toFixed(0);
}

async function countMessages(databaseUrl: string): Promise<number> {
  const db = connect(databaseUrl, 1);
  const [row] = await select<{ count: number }>(db, 'SELECT count(*) AS count FROM messages');
  await db.close();
  return row?.count ?? 0;
}
