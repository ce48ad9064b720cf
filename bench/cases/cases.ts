/** The cases of single messages: the lower bound, single sends, single sends with a webhook. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openAccount } from '../../harness/load/account.js';
import type { Bare } from './bare.js';
import { bareType } from './bare-contract.js';
import { messageWorkflows } from '../../harness/measure/open-workflows.js';
import { closedLoop } from '../../harness/load/closed-loop.js';
import type { Sent } from '../../harness/measure/pass.js';
import type { SingleCase } from './measured-case.js';
import { type Answer, createSender, messageIdOf, type Sender } from '../../harness/load/sender.js';
import { pidOf, servicePids, type Workbench } from '../../harness/stage/workbench.js';

/** Case a. The bench itself is the client, so its CPU is in the column of the API. */
export function bareCase(bench: Workbench, bare: Bare): SingleCase {
  return {
    key: 'a',
    title: 'bare workflow',
    send: () => bare.send(),
    sendAll: (load) => closedLoop(() => bare.send(), load),
    workflowTypes: [bareType],
    pids: () => ({ API: process.pid, worker: bare.pid, Temporal: pidOf(bench, 'Temporal'), PostgreSQL: pidOf(bench, 'PostgreSQL') }),
  };
}

/** Case b: a message is done when it is delivered. */
export async function singleCase(bench: Workbench): Promise<SingleCase> {
  const { apiKey } = await openAccount(bench.service.baseUrl);
  const { baseUrl } = bench.service;
  return httpCase(bench, { baseUrl, apiKey }, { key: 'b', title: 'single sends' }, (messageId) => bench.finished.until(messageId));
}

/** Case c: a message is done when it is delivered and the receiver has all its events. */
export function webhookCase(bench: Workbench, apiKey: string): SingleCase {
  const done = (messageId: string) => Promise.all([bench.finished.until(messageId), bench.receiver.until(messageId)]);
  return httpCase(bench, { baseUrl: bench.service.baseUrl, apiKey }, { key: 'c', title: 'one webhook' }, done);
}

/** The value of `Retry-After`. */
const againMs = 1_000;

let number = 0;

/** Sends the next message and waits until it is done. */
export async function sendToEnd(sender: Sender, done: (messageId: string) => Promise<unknown>): Promise<Sent> {
  number += 1;
  const startedAt = performance.now();
  const messageId = messageIdOf(await untilTaken(() => sender.post(number)));
  const acceptMs = performance.now() - startedAt;
  await done(messageId);
  return { acceptMs, doneMs: performance.now() - startedAt };
}

/** Retries while the service is overloaded, as clients should. The waiting time counts. */
async function untilTaken(post: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await post();
    if (answer.status < 500) return answer;
    await sleep(againMs);
  }
}

/** A case in which these clients send single messages, each until it is done. */
export function httpCase(
  bench: Workbench,
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  name: Pick<SingleCase, 'key' | 'title'>,
  done: (messageId: string) => Promise<unknown>,
): SingleCase {
  const sender = createSender(baseUrl, apiKey);
  const send = () => sendToEnd(sender, done);
  return {
    ...name,
    send,
    sendAll: (load) => closedLoop(send, load),
    workflowTypes: messageWorkflows,
    pids: () => servicePids(bench),
  };
}
