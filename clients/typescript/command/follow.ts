/** Waits for a message. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, Tidings } from '../client/index.js';
import { Undecided } from './command.js';
import { counted } from './terminal.js';

/** Half of the usual rate limit of a key. */
export const pollMs = 1_200;

const isFinal = ({ status }: Message) => status === 'delivered' || status === 'failed' || status === 'read';

/** After this time most carriers have reported. Some never do, so every wait ends. */
export const usualSeconds = 600;

export interface Waiting {
  signal: AbortSignal;
  /** Besides the final ones. */
  wanted?: readonly string[];
  /** For a scheduled message from when it is due. */
  seconds?: number;
}

/** Where a wait ended, and if it ended without what was waited for: why. */
export interface Waited {
  message: Message;
  undecided?: string;
}

/**
 * Reads a message until it has a final status or a wanted one, no report will come any more, or the time is over.
 * @throws Undecided with the id of the message, whatever fails: without it, the message would be sent and paid again
 */
export async function untilStatus(tidings: Tidings, sent: Message, waiting: Waiting): Promise<Waited> {
  try {
    return await readUntil(tidings, sent, waiting);
  } catch (error) {
    const why = waiting.signal.aborted ? 'was interrupted' : `failed: ${(error as Error).message}`;
    const text = `message ${sent.id} was accepted, but the wait for it ${why}: see tidings timeline ${sent.id}`;
    throw new Undecided(text, { cause: error });
  }
}

async function readUntil(
  tidings: Tidings,
  { id, created_at, scheduled_at }: Message,
  { signal, wanted = [], seconds = usualSeconds }: Waiting,
): Promise<Waited> {
  const dueInMs = scheduled_at === null ? 0 : Math.max(0, Date.parse(scheduled_at) - Date.parse(created_at));
  const end = Date.now() + dueInMs + seconds * 1000;
  for (;;) {
    const message = await tidings.messages.get(id, { signal });
    const { status, status_detail: detail } = message;
    if (wanted.includes(status) || isFinal(message)) return { message };
    if (status === 'sent' && detail === 'unknown') return { message, undecided: 'and no delivery report arrived' };
    const leftMs = end - Date.now();
    if (leftMs <= 0) return { message, undecided: `but not decided after ${counted(seconds, 'second')}` };
    await sleep(Math.min(pollMs, leftMs), undefined, { signal });
  }
}
