/** Sends as a careful client does: every call has its idempotency key and is repeated with it until it is answered. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, messageIdOf, type Sender } from './sender.js';

export interface Sends {
  /** Ids in the 2xx answers. */
  messageIds: Set<string>;
  retries: number;
  seconds: number;
  violations: string[];
}

const answerMsMax = 240_000;
const pauseMs = 250;
/** Every so many messages the answered call is made once more: it must name the same message. */
const replayEvery = 10;

/** Sends so many messages and resolves when all are answered. */
export async function sendAll(sender: Sender, messages: number, clients: number): Promise<Sends> {
  const sends: Sends = { messageIds: new Set(), retries: 0, seconds: 0, violations: [] };
  const startedAt = performance.now();
  let number = 0;
  const run = async () => {
    while (number < messages) {
      number += 1;
      await sendOne(sender, number, sends);
    }
  };
  await Promise.all(Array.from({ length: clients }, run));
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

async function untilAnswered(sender: Sender, number: number, key: string, sends: Sends): Promise<string | undefined> {
  const until = performance.now() + answerMsMax;
  while (performance.now() < until) {
    const answer = await sender.post(number, key).catch(() => undefined);
    if (answer?.status === 201) return messageIdOf(answer);
    if (answer !== undefined && !mayBeRepeated(answer)) {
      sends.violations.push(`message ${number} was answered ${answer.status}: ${answer.body.slice(0, 200)}`);
      return undefined;
    }
    sends.retries += 1;
    await sleep(pauseMs);
  }
  sends.violations.push(`message ${number} was not answered within ${answerMsMax / 1000} s`);
  return undefined;
}

/** An answer that says nothing about the message. */
const mayBeRepeated = ({ status }: Answer) => status >= 500;
