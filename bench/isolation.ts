/** Case e: what single messages and other calls of the API notice of a batch of ten thousand. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openAccount } from './account.js';
import type { Bulk } from './bulk.js';
import type { SingleCase } from './measured-case.js';
import { type Percentiles, percentiles } from './pass.js';
import { createSender, dataOf } from './sender.js';
import type { Workbench } from './workbench.js';

/** Milliseconds while nothing else is done, and during the batch. */
export interface Compared {
  idle: Percentiles;
  during: Percentiles;
}

export interface Isolation {
  recipients: number;
  /** until the 201 of the batch */
  accept_ms: number;
  /** from a single send to its delivery, until the batch is done */
  single_done_ms: Compared;
  /** another call of the API, while the batch is being accepted */
  other_call_ms: Compared;
}

const idleSingles = 80;
const idleCalls = 200;
const callEveryMs = 20;
const singlePauseMs = 50;

/** Measures before and during one batch, with one client each for single messages and other calls. */
export async function measureIsolation(bench: Workbench, bulk: Bulk, single: SingleCase, recipients: number): Promise<Isolation> {
  const { apiKey } = await openAccount(bench.service.baseUrl);
  const sender = createSender(bench.service.baseUrl, apiKey);
  const call = async () => {
    const startedAt = performance.now();
    dataOf(await sender.call('GET', '/messages?limit=20'));
    const ms = performance.now() - startedAt;
    await sleep(callEveryMs);
    return ms;
  };
  const send = async () => {
    const { doneMs } = await single.send();
    await sleep(singlePauseMs);
    return doneMs;
  };

  const idleSent = await repeat(send, (done) => done < idleSingles);
  const idleCalled = await repeat(call, (done) => done < idleCalls);
  const accepting = { isOver: false };
  const sending = { isOver: false };
  const called = repeat(call, () => !accepting.isOver);
  const sent = repeat(send, () => !sending.isOver);
  const batch = await bulk.start(recipients);
  accepting.isOver = true;
  await batch.done();
  sending.isOver = true;
  return {
    recipients,
    accept_ms: batch.acceptMs,
    single_done_ms: { idle: percentiles(idleSent), during: percentiles(await sent) },
    other_call_ms: { idle: percentiles(idleCalled), during: percentiles(await called) },
  };
}

async function repeat(work: () => Promise<number>, goesOn: (done: number) => boolean): Promise<number[]> {
  const all: number[] = [];
  while (goesOn(all.length)) all.push(await work());
  return all;
}
