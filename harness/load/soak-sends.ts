/** Sends like a careful client: every call has an idempotency key and is repeated until it gets a response. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop } from './closed-loop.js';
import { type Answer, batchIdOf, messageIdOf, type Sender } from './sender.js';

export interface Sends {
  /** The ids in 2xx responses. */
  messageIds: Set<string>;
  retries: number;
  seconds: number;
  violations: string[];
}

const answerMsMax = 240_000;
const pauseMs = 250;
/** After this many messages an answered call is repeated. It must return the same message. */
const replayEvery = 10;

/** Sends this many messages. Resolves when all have a response. */
export async function sendAll(sender: Sender, messages: number, clients: number): Promise<Sends> {
  const sends: Sends = { messageIds: new Set(), retries: 0, seconds: 0, violations: [] };
  const startedAt = performance.now();
  let number = 0;
  const sendNext = () => sendOne(sender, (number += 1), sends);
  await closedLoop(sendNext, { messages, clients });
  sends.seconds = (performance.now() - startedAt) / 1000;
  return sends;
}

async function sendOne(sender: Sender, number: number, sends: Sends): Promise<void> {
  const key = `soak-${number}-${randomUUID()}`;
  const id = await untilAnswered(sender, number, key, sends);
  if (id === undefined) return;
  if (sends.messageIds.has(id)) sends.violations.push(`message ${id} answers two keys`);
  sends.messageIds.add(id);
  if (number % replayEvery !== 0) return;
  const again = await untilAnswered(sender, number, key, sends);
  if (again !== undefined && again !== id) sends.violations.push(`key ${key} stands for ${id} and for ${again}`);
}

const untilAnswered = async (sender: Sender, number: number, key: string, sends: Sends): Promise<string | undefined> => {
  const answer = await repeat(`message ${number}`, () => sender.post(number, key), sends);
  return answer && messageIdOf(answer);
};

/** Sends a batch and resolves to its id, if a call is answered. The call is repeated once, and must return the same batch. */
export async function sendBatch(sender: Sender, recipients: number, rate: number | undefined, sends: Sends): Promise<string | undefined> {
  const key = `soak-batch-${randomUUID()}`;
  const post = async () => {
    const answer = await repeat('the batch', () => sender.postBulk(recipients, key, rate), sends);
    return answer && batchIdOf(answer);
  };
  const id = await post();
  const again = await post();
  if (id !== undefined && again !== undefined && id !== again) sends.violations.push(`key ${key} stands for ${id} and for ${again}`);
  return id ?? again;
}

/** Repeats a call until it gets a response. Fails on a response that is neither a success nor repeatable. */
export async function repeat(what: string, call: () => Promise<Answer>, sends: Sends): Promise<Answer | undefined> {
  const until = performance.now() + answerMsMax;
  while (performance.now() < until) {
    const answer = await call().catch(() => undefined);
    if (answer !== undefined && answer.status < 300) return answer;
    if (answer !== undefined && !mayBeRepeated(answer)) {
      sends.violations.push(`${what} was answered ${answer.status}: ${answer.body.slice(0, 200)}`);
      return undefined;
    }
    sends.retries += 1;
    await sleep(pauseMs);
  }
  sends.violations.push(`${what} was not answered within ${answerMsMax / 1000} s`);
  return undefined;
}

/** Whether the response leaves the outcome of the message open. */
const mayBeRepeated = ({ status }: Answer) => status >= 500;
