/** Case e: the effect of batches of ten thousand on single messages and other API calls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openAccount } from '../../harness/load/account.js';
import type { Bulk } from './bulk.js';
import type { SingleCase } from './measured-case.js';
import { type Percentiles, percentiles } from '../../harness/measure/pass.js';
import { createSender, dataOf } from '../../harness/load/sender.js';
import type { Workbench } from '../../harness/stage/workbench.js';

/** Durations in milliseconds, before and during the batches. */
export interface Compared {
  idle: Percentiles;
  during: Percentiles;
}

export interface Isolation {
  recipients: number;
  /** Until the 201 of a batch; the maximum. */
  accept_ms: number;
  /** From a single send to its delivery, until a batch is done. */
  single_done_ms: Compared;
  /** Another API call beside single sends, while a batch is being accepted. */
  other_call_ms: Compared;
}

/** The number of batches, so that enough calls fall into the second in which a batch is accepted. */
const batches = 3;
const idleSingles = 80;
const idleCalls = 200;
const callEveryMs = 20;
const singlePauseMs = 50;

/** Measures before and during several batches, one after the other, with one client for single messages and one for other calls. */
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
  const { result: idleCalled } = await beside(send, () => repeat(call, (done) => done < idleCalls));
  const sent: number[] = [];
  const called: number[] = [];
  const acceptMs: number[] = [];
  for (let count = 0; count < batches; count += 1) {
    const sending = await beside(send, async () => {
      const accepting = await beside(call, () => bulk.start(recipients));
      called.push(...accepting.others);
      acceptMs.push(accepting.result.acceptMs);
      await accepting.result.done();
    });
    sent.push(...sending.others);
  }
  return {
    recipients,
    accept_ms: Math.max(...acceptMs),
    single_done_ms: { idle: percentiles(idleSent), during: percentiles(sent) },
    other_call_ms: { idle: percentiles(idleCalled), during: percentiles(called) },
  };
}

/** Runs the work, and repeats another call beside it. */
async function beside<Result>(other: () => Promise<number>, work: () => Promise<Result>): Promise<{ result: Result; others: number[] }> {
  let isOver = false;
  const others = repeat(other, () => !isOver);
  const result = await work().finally(() => {
    isOver = true;
  });
  return { result, others: await others };
}

async function repeat(work: () => Promise<number>, goesOn: (done: number) => boolean): Promise<number[]> {
  const all: number[] = [];
  while (goesOn(all.length)) all.push(await work());
  return all;
}
