/** What happens in a run beside ordinary traffic. docs/observability/boards.md describes it as well. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { select } from '../../../models/db/database.js';
import { drop } from '../../support/carriers/counterpart.js';
import { type Interference, refuse } from '../../support/carriers/twilio.js';
import { cutConnections } from '../../support/database.js';
import { openEventStream } from '../../support/network/event-stream.js';
import { acknowledge, answerWith } from '../../support/network/receiver.js';
import { fails } from '../receivers.js';
import type { Installation } from './installation.js';
import { askTooOften, reportStray, sendBatch } from './traffic.js';

/** The length of a run. */
export const runSeconds = 300;

/** Seconds from the start, what happens for the one who waits for the run, and how. */
export type Entry = readonly [at: number, what: string, run: () => unknown];

const works: Interference = () => false;

const everySecondCall =
  (answer: (response: ServerResponse) => boolean): Interference =>
  (response, _, call) =>
    call % 2 === 0 && answer(response);

/** Many parts fail, one after the other, so that every panel has something to show. */
export const timelineOf = ({ service, db, first, backup, orders, customers, former, shop, eager }: Installation): readonly Entry[] => [
  [10, 'three clients open streams of events', () => openStreams(`${service.baseUrl}/api/v1/stream`, shop.apiKey, 3)],
  [15, 'a batch of 400 SMS, 8 a second', () => sendBatch(shop, 400, 8)],
  [50, 'the first carrier account slows down', () => (first.answerAfterMs = 900)],
  [70, 'it refuses all calls with 503', () => (first.interfere = (response) => refuse(response, 503, 20_503))],
  [90, 'the receiver of customer records answers 500', () => (customers.answer = fails)],
  [120, 'the first carrier account works again', () => Object.assign(first, { answerAfterMs: 0, interfere: works })],
  [150, 'the receiver of customer records works again', () => (customers.answer = acknowledge)],
  [160, 'the database is slow', () => slowDatabase(db, 15)],
  [182, 'the connections to the database break', () => repeat(3, 1_000, () => cutConnections(db))],
  [190, 'a client asks more often than its rate limit allows', () => askTooOften(eager, 30)],
  [195, 'a carrier reports on messages of somebody else', () => repeat(6, 3_000, () => reportStray(first))],
  [200, 'the receiver of orders is slow', () => (orders.answer = slowly(600))],
  [215, 'another batch: 240 SMS, 12 a second', () => sendBatch(shop, 240, 12)],
  [230, 'the receiver of orders is fast again', () => (orders.answer = acknowledge)],
  [235, 'the receiver of the former shop is gone', () => (former.answer = answerWith(410))],
  [240, 'the second carrier account throttles', () => (backup.interfere = everySecondCall((response) => refuse(response, 429, 20_429)))],
  [255, 'it loses connections', () => (backup.interfere = everySecondCall(drop))],
  [265, 'the second carrier account works again', () => (backup.interfere = works)],
];

/** Plays it in time. Resolves when the last entry has begun. @param say gets each entry as it begins */
export async function play(timeline: readonly Entry[], say: (line: string) => void): Promise<void> {
  const startedAt = Date.now();
  for (const [at, what, run] of timeline) {
    await sleep(Math.max(0, startedAt + at * 1_000 - Date.now()));
    say(`${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')} ${what}`);
    start(run).catch((error: Error) => say(`  ${error.message}`));
  }
}

const start = async (run: Entry[2]): Promise<unknown> => run();

async function openStreams(url: string, apiKey: string, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += 1) {
    await openEventStream(url, { 'X-API-Key': apiKey });
    await sleep(20_000);
  }
}

/** Statements wait while somebody holds the table, half of the time. */
export const slowDatabase = (db: Installation['db'], times: number): Promise<void> =>
  repeat(times, 600, () => select(db, 'DO $$ BEGIN LOCK TABLE messages IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(0.6); END $$'));

export async function repeat(times: number, everyMs: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done += 1) {
    await work();
    await sleep(everyMs);
  }
}

const slowly =
  (ms: number): typeof acknowledge =>
  (...request) =>
    void setTimeout(() => acknowledge(...request), ms);
