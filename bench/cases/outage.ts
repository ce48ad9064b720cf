/** One of two accounts of a channel stops answering: how soon its traffic moves to the other account and back, and the effect on other channels. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Database, select } from '../../models/db/database.js';
import { openAccount } from '../../harness/load/account.js';
import { startCarrier } from '../../harness/load/carrier.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { atMost, type Line, percentileCell } from '../../harness/measure/figures.js';
import type { Percentiles } from '../../harness/measure/pass.js';
import { createSender, type Sender } from '../../harness/load/sender.js';
import { timetable } from '../../harness/load/timetable.js';
import { openWorkbench } from '../../harness/stage/workbench.js';

export interface OutageFigures {
  /** Until the hanging account got only probes. */
  moved_ms: number;
  /** From its first responses until it had its full share again. */
  back_ms: number;
  /** From acceptance to hand-off on the other channel, before and during the outage. */
  others_ms: { before: Percentiles; during: Percentiles };
  /** Messages that the account received without answering. Their outcome cannot be queried, so they are not sent again. */
  unanswered: number;
  /** Messages that were received more than once. */
  doubled: number;
  sent: number;
}

const account = 'twilio';
const perSecond = 4;
/** The duration of each measurement: before the outage, and after the traffic has moved. */
const measuredMs = 45_000;
const warmUpMs = 10_000;
const targets = { ratio: 1.2, movedMs: 15_000, backMs: 300_000 };
const runSecondsMax = 600;
const lookEveryMs = 200;
/** A call without a response is given up after ten seconds. This includes the follow-up work. */
const settleMs = 20_000;

/** Measures with single messages on both channels at a fixed rate, with the default settings. */
export async function measureOutage(say: (line: string) => void, cleanup: Cleanup): Promise<OutageFigures> {
  const [failing, healthy] = [await startCarrier(cleanup), await startCarrier(cleanup, 'SECOND_')];
  const accounts = { PROVIDER_SMS: `${account},second`, PROVIDER_WHATSAPP: 'sandbox', PROVIDER_ACCOUNTS: 'second=twilio' };
  const { service } = await openWorkbench({ ...accounts, ...failing.env, ...healthy.env }, cleanup);
  const db = connect(service.databaseUrl, 1);
  cleanup.add(() => db.close());
  const { apiKey } = await openAccount(service.baseUrl, service.databaseUrl);
  const sends = startSends(createSender(service.baseUrl, apiKey));
  cleanup.add(() => sends.stop());

  say(`Two channels, ${perSecond} messages a second each…`);
  await sleep(warmUpMs);
  const idleAt = new Date();
  await sleep(measuredMs);
  say('One of two accounts answers no more…');
  const hangsAt = new Date();
  failing.hang(true);
  await untilLevel(db, 0);
  const moved_ms = Date.now() - hangsAt.getTime();
  await sleep(measuredMs);
  const healedAt = new Date();
  failing.hang(false);
  say('It answers again…');
  await untilLevel(db, 10);
  const back_ms = Date.now() - healedAt.getTime();
  await sends.stop();
  await sleep(settleMs);
  const others_ms = { before: await handOffTimes(db, idleAt, hangsAt), during: await handOffTimes(db, hangsAt, healedAt) };
  const taken = [...(await failing.takenIds()), ...(await healthy.takenIds())];
  return {
    moved_ms,
    back_ms,
    others_ms,
    unanswered: await countUnanswered(db),
    doubled: taken.length - new Set(taken).size,
    sent: sends.sent(),
  };
}

/** Sends on both channels until it is stopped. */
function startSends(sender: Pick<Sender, 'postMessage'>) {
  const bodies = [
    { channel: 'sms', to: '+15551234567', content: { text: 'Hello' } },
    { channel: 'whatsapp', to: '+15551234567', content: { text: 'Hello' } },
  ];
  const open = new Set<Promise<void>>();
  let isStopped = false;
  let sent = 0;
  const post = async (body: object) => {
    const { status } = await sender.postMessage(body);
    if (status === 201) sent += 1;
  };
  const sending = (async () => {
    for await (const { number } of timetable(runSecondsMax, perSecond * bodies.length)) {
      if (isStopped) break;
      const posted = post(bodies[number % bodies.length] ?? {}).finally(() => open.delete(posted));
      open.add(posted);
    }
    await Promise.all(open);
  })();
  return {
    sent: () => sent,
    stop: () => {
      isStopped = true;
      return sending;
    },
  };
}

async function untilLevel(db: Database, level: number): Promise<void> {
  const until = performance.now() + targets.backMs * 1.5;
  for (;;) {
    const [row] = await select<{ level: number }>(db, 'SELECT level FROM route_health WHERE account = $1', [account]);
    if ((row?.level ?? 10) === level) return;
    if (performance.now() > until) throw new Error(`the account has not got to level ${level}`);
    await sleep(lookEveryMs);
  }
}

async function handOffTimes(db: Database, from: Date, to: Date): Promise<Percentiles> {
  const [row] = await select<Percentiles>(db, times, [from, to]);
  if (row === undefined) throw new Error('an aggregate has a row');
  return row;
}

const times = `
  WITH taken AS (
    SELECT extract(epoch FROM sent_at - created_at) * 1000 AS ms FROM messages
    WHERE channel = 'whatsapp' AND created_at >= $1 AND created_at < $2
  )
  SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ms)::float AS p50, percentile_disc(0.95) WITHIN GROUP (ORDER BY ms)::float AS p95,
    percentile_disc(0.99) WITHIN GROUP (ORDER BY ms)::float AS p99 FROM taken`;

async function countUnanswered(db: Database): Promise<number> {
  const [row] = await select<{ count: number }>(
    db,
    `SELECT count(DISTINCT message_id) AS count FROM send_attempts WHERE outcome = 'unknown' AND provider = $1`,
    [account],
  );
  return row?.count ?? 0;
}

/** The result as lines of text. */
export function outageLines({ moved_ms, back_ms, others_ms, unanswered, doubled, sent }: OutageFigures): Line[] {
  const { before, during } = others_ms;
  return [
    `${sent} messages; ${unanswered} were taken and not answered: nobody can know of them, and nobody sends them again`,
    atMost('traffic moved after, s', moved_ms / 1000, targets.movedMs / 1000),
    atMost('back after, s', back_ms / 1000, targets.backMs / 1000),
    `  the other channel, hand-off p50/p95/p99 ms: before ${percentileCell(before)}, meanwhile ${percentileCell(during)}`,
    atMost('p95 of the other channel, times', during.p95 / before.p95, targets.ratio),
    atMost('sent twice', doubled, 0),
  ];
}
