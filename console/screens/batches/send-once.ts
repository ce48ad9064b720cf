/** A batch is sent once, however often the button is pressed, the network fails or the page is loaded again, in all tabs. */
import { call, type Schema } from '../../api/call.js';
import { Problem } from '../../api/problem.js';
import { useKept } from '../../state/kept.js';
import { openWorkspace } from '../../state/session.js';
import type { Body } from './draft.js';

/** A request that has no answer: the batch may have been accepted. */
export interface Unanswered {
  /** Its idempotency key. */
  key: string;
  /** When it was sent first. */
  at: string;
}

/** The newest ones of a workspace are kept. */
const keptMax = 20;

/** @returns the request with the same content that has no answer yet */
export async function unansweredOf(body: Body): Promise<Unanswered | null> {
  return read().get(await digestOf(body)) ?? null;
}

/**
 * Sends a batch.
 * @param repeated the request that it repeats: with its key it is accepted once; null: a new batch
 * @returns the batch, and whether an earlier request was accepted, so that this one sent nothing
 */
export async function sendOnce(body: Body, repeated: Unanswered | null): Promise<{ batch: Schema<'Batch'>; isReplay: boolean }> {
  const digest = await digestOf(body);
  const { key, at } = repeated ?? { key: crypto.randomUUID(), at: new Date().toISOString() };
  change((kept) => kept.set(digest, { key, at }));
  let isReplay = false;
  const answered = (headers: Headers) => (isReplay = headers.has('Idempotent-Replayed'));
  try {
    const { batch } = await call('post', '/api/v1/messages/bulk', { body, idempotencyKey: key, answered });
    change((kept) => kept.delete(digest));
    return { batch, isReplay };
  } catch (error) {
    // The refusal of a repetition, such as 429, says nothing about the request before it.
    const isRefused = error instanceof Problem && error.status >= 400 && error.status < 500;
    if (repeated === null && isRefused) change((kept) => kept.delete(digest));
    throw error;
  }
}

/** Of one workspace: its keys are its own, too. */
const storageKey = () => `tidings.batches.${openWorkspace()?.id ?? ''}`;

/** Digest of the body → request, oldest first. */
const read = () => new Map<string, Unanswered>(JSON.parse(localStorage.getItem(storageKey()) ?? '[]') as [string, Unanswered][]);

/** What is stored ends with the session. The batch that is kept must not be sent twice all the same. */
export const useKeptRequests = (): void =>
  useKept(
    'requests',
    () => localStorage.getItem(storageKey()) ?? undefined,
    (kept) => localStorage.setItem(storageKey(), kept),
  );

function change(work: (kept: Map<string, Unanswered>) => void): void {
  const kept = read();
  work(kept);
  localStorage.setItem(storageKey(), JSON.stringify([...kept].slice(-keptMax)));
}

async function digestOf(body: Body): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(body)));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
