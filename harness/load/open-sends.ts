/**
 * Sends that arrive at a fixed rate, whatever becomes of those before. Nothing is left out, and times count from when a send was due:
 * what a stalled service keeps waiting is in the figures, where clients who wait for their answers would just have sent less.
 */
import { messageIdOf, type Sender } from './sender.js';
import { timetable } from './timetable.js';

export interface OpenSend {
  /** milliseconds since 1970 */
  dueAt: number;
  /** What the sending process itself was late by; a part of the next. */
  lateMs: number;
  answeredMs: number;
  /** 0: there was no answer */
  status: number;
  /** of an accepted message */
  messageId?: string;
}

/** Sends so many a second for so long. */
export async function openSends(sender: Pick<Sender, 'post'>, seconds: number, perSecond: number): Promise<OpenSend[]> {
  const open: Promise<OpenSend>[] = [];
  for await (const { number, lateMs } of timetable(seconds, perSecond)) open.push(sendOne(sender, number, lateMs));
  return Promise.all(open);
}

async function sendOne(sender: Pick<Sender, 'post'>, number: number, lateMs: number): Promise<OpenSend> {
  const dueAt = Date.now() - lateMs;
  const startedAt = performance.now();
  const answer = await sender.post(number).catch(() => ({ status: 0, body: '' }));
  const answeredMs = lateMs + performance.now() - startedAt;
  const { status } = answer;
  return { dueAt, lateMs, answeredMs, status, ...(status === 201 ? { messageId: messageIdOf(answer) } : {}) };
}
