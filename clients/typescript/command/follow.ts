/** Waits for a message. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, Tidings } from '../client/index.js';

/** Half of the usual rate limit of a key. */
export const pollMs = 1_200;

const isFinal = ({ status }: Message) => status === 'delivered' || status === 'failed' || status === 'read';

/** Reads a message until it has one of these statuses, or a final one. */
export async function untilStatus(tidings: Tidings, id: string, signal: AbortSignal, wanted: readonly string[] = []): Promise<Message> {
  for (;;) {
    const message = await tidings.messages.get(id, { signal });
    if (wanted.includes(message.status) || isFinal(message)) return message;
    await sleep(pollMs, undefined, { signal });
  }
}
