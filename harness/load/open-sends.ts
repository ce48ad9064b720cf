/**
 * Sends at a fixed rate, without waiting for responses (open loop). Times count from when a send was due, so the figures include the waiting
 * time of a stalled service. Clients that wait for responses would only send less.
 */
import { messageIdOf, type Sender } from './sender.js';
import { timetable } from './timetable.js';

export interface OpenSend {
  /** Milliseconds since 1970. */
  dueAt: number;
  /** The delay of the sending process itself. It is included in the next figure. */
  delayMs: number;
  answeredMs: number;
  /** 0: no response. */
  status: number;
  /** The id of an accepted message. */
  messageId?: string;
}

/** Sends at this rate for this many seconds. */
export async function openSends(sender: Pick<Sender, 'post'>, seconds: number, perSecond: number): Promise<OpenSend[]> {
  const open: Promise<OpenSend>[] = [];
  for await (const { number, delayMs } of timetable(seconds, perSecond)) open.push(sendOne(sender, number, delayMs));
  return Promise.all(open);
}

async function sendOne(sender: Pick<Sender, 'post'>, number: number, delayMs: number): Promise<OpenSend> {
  const dueAt = Date.now() - delayMs;
  const startedAt = performance.now();
  const answer = await sender.post(number).catch(() => ({ status: 0, body: '' }));
  const answeredMs = delayMs + performance.now() - startedAt;
  const { status } = answer;
  return { dueAt, delayMs, answeredMs, status, ...(status === 201 ? { messageId: messageIdOf(answer) } : {}) };
}
