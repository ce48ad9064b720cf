/** Posts payment events to the service. They are signed like those of Stripe and repeated until they are acknowledged. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckoutStore, LocalEvent } from './store.js';
import { seconds } from './session.js';

export interface Callback {
  url: string;
  webhookSecret: string;
  /** Ends the retries. */
  signal: AbortSignal;
}

const firstDelayMs = 500;
const longestDelayMs = 60_000;
const answerTimeoutMs = 10_000;

/**
 * Posts an event until the service acknowledges it and the acknowledgement is stored. Events that are left when this process ends are posted after
 * the next start.
 */
export async function postEvent(store: CheckoutStore, event: LocalEvent, { url, webhookSecret, signal }: Callback): Promise<void> {
  for (let delayMs = firstDelayMs; !signal.aborted; delayMs = Math.min(longestDelayMs, delayMs * 2)) {
    if ((await postOnce(event, url, webhookSecret)) && acknowledge(store, event)) return;
    await sleep(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/**
 * Stores that the event was acknowledged.
 * @returns false if that failed, for example on a full disk. The event is posted again then, and the service ignores it
 */
function acknowledge(store: CheckoutStore, event: LocalEvent): boolean {
  try {
    store.acknowledged(event);
    return true;
  } catch {
    return false;
  }
}

/** @returns whether the service acknowledged it */
async function postOnce({ id, type, created, object }: LocalEvent, url: string, webhookSecret: string): Promise<boolean> {
  const body = JSON.stringify({ id, object: 'event', type, created, livemode: false, pending_webhooks: 1, data: { object } });
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signatureOf(body, webhookSecret) };
  try {
    const { ok } = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(answerTimeoutMs) });
    return ok;
  } catch {
    return false; // the service is not available, for example during a restart
  }
}

/** `t=<seconds>,v1=<hex HMAC of "t.body">` */
function signatureOf(body: string, webhookSecret: string): string {
  const timestamp = seconds();
  return `t=${timestamp},v1=${createHmac('sha256', webhookSecret).update(`${timestamp}.${body}`).digest('hex')}`;
}
