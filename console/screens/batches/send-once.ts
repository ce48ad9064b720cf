/** A batch is sent once, however often the button is pressed, the network fails or the page is loaded again. */
import { call, type Schema } from '../../api/call.js';
import type { Body } from './draft.js';

/** The request that has no answer yet: the digest of its body, and its key. */
const pending = 'tidings.batch';

/** Sends a batch. The same content has the same idempotency key until it is answered. */
export async function sendOnce(body: Body): Promise<Schema<'Batch'>> {
  const digest = await digestOf(body);
  const [known, knownKey] = (sessionStorage.getItem(pending) ?? '').split(' ');
  const idempotencyKey = known === digest && knownKey !== undefined ? knownKey : crypto.randomUUID();
  sessionStorage.setItem(pending, `${digest} ${idempotencyKey}`);
  const { batch } = await call('post', '/api/v1/messages/bulk', { body, idempotencyKey });
  sessionStorage.removeItem(pending);
  return batch;
}

async function digestOf(body: Body): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(body)));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
