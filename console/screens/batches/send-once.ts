/** A batch is sent once, however often the button is pressed, the network fails or the page is loaded again, in all tabs. */
import { call, type Schema } from '../../api/call.js';
import { Problem } from '../../api/problem.js';
import { changeRequests, readRequests, type StoredRequest } from '../../state/unanswered-sends.js';
import { openWorkspace } from '../../state/session.js';
import type { Body } from './draft.js';

/** A request as it is made for a batch. While it has no answer, the batch may have been accepted. */
export type Request = Pick<StoredRequest, 'key' | 'at'>;

export const newRequest = (): Request => ({ key: crypto.randomUUID(), at: new Date().toISOString() });

/** @returns the newest request with the same content that has no answer yet */
export async function unansweredOf(body: Body): Promise<Request | null> {
  const digest = await digestOf(body);
  return readRequests(workspaceId()).findLast((request) => request.digest === digest) ?? null;
}

/**
 * Sends a batch.
 * @param request a new one, or one that has no answer: it is accepted once
 * @returns the batch, and whether the request had been accepted before, so that this time it sent nothing
 */
export async function sendOnce(body: Body, { key, at }: Request): Promise<{ batch: Schema<'Batch'>; isReplay: boolean }> {
  const digest = await digestOf(body);
  const workspace = workspaceId();
  const isRepeated = readRequests(workspace).some((request) => request.key === key);
  if (!isRepeated) changeRequests(workspace, (requests) => [...requests, { key, digest, at }]);
  let isReplay = false;
  const answered = (headers: Headers) => (isReplay = headers.has('Idempotent-Replayed'));
  try {
    const { batch } = await call('post', '/api/v1/messages/bulk', { body, idempotencyKey: key, answered });
    // Who sends a new batch does not ask again for those with its content before it. A later one may have been accepted, too.
    changeRequests(workspace, (requests) => requests.filter((request) => request.digest !== digest || request.at > at));
    return { batch, isReplay };
  } catch (error) {
    // The refusal of a repetition, such as 429, says nothing about the request before it.
    const isRefused = error instanceof Problem && error.status >= 400 && error.status < 500;
    if (!isRepeated && isRefused) changeRequests(workspace, (requests) => requests.filter((request) => request.key !== key));
    throw error;
  }
}

const workspaceId = () => openWorkspace()?.id ?? '';

async function digestOf(body: Body): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(body)));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
