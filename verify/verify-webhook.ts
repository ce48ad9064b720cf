/**
 * Verifies webhooks of Tidings, and of everybody who signs as Standard Webhooks says. Needs nothing but Node: install it, or copy
 * this file.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What is wrong with a request: it is none of ours, or not of now. Answer it with 403. */
export type Fault = 'headers' | 'timestamp' | 'signature' | 'body';

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  constructor(
    readonly fault: Fault,
    message: string,
  ) {
    super(message);
  }
}

/** What a webhook says, as it was sent. */
export interface WebhookEvent {
  /** Such as `message.delivered`. */
  event: string;
  /** ISO 8601 */
  timestamp: string;
  data: Record<string, unknown>;
}

export interface VerifiedWebhook extends WebhookEvent {
  /** The same at every attempt: what comes again is the same event. */
  id: string;
  /** When this attempt was made. */
  sentAt: Date;
}

/** Headers of a request: those of Node, or of the Fetch API. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

export interface VerifyOptions {
  /** How far the clocks may be apart, into the past and into the future alike. Default: 300 */
  toleranceSeconds?: number;
  /** Milliseconds since 1970. Default: now */
  now?: number;
}

const secretPrefix = 'whsec_';
const signatureBytes = 32;

/**
 * Checks that a webhook comes from whoever knows the secret and was sent just now.
 * @param rawBody the body as it arrived, byte for byte: one that was parsed and written again has another signature
 * @param secrets `whsec_…` as it was shown when the webhook was made; several while one replaces another
 * @throws WebhookVerificationError for a request that must not be believed; TypeError for a mistake of the caller
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: RequestHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): VerifiedWebhook {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) throw new TypeError('rawBody must be the raw text or bytes');
  const keys = [secrets].flat().map(keyOf);
  if (keys.length === 0) throw new TypeError('at least one secret is needed');
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`)) as [
    string,
    string,
    string,
  ];
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now / 1000 - seconds) <= toleranceSeconds)) throw fault('timestamp', 'sent too long ago, or in the future');
  const given = signatures.split(' ').flatMap((item) => (item.startsWith('v1,') ? [Buffer.from(item.slice(3), 'base64')] : []));
  const isSigned = keys.some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest();
    return given.some((signature) => signature.length === signatureBytes && timingSafeEqual(signature, expected));
  });
  if (!isSigned) throw fault('signature', 'no signature matches');
  return { ...parse(rawBody), id, sentAt: new Date(seconds * 1000) };
}

const fault = (kind: Fault, message: string) => new WebhookVerificationError(kind, message);

function keyOf(secret: string): Buffer {
  const key = typeof secret === 'string' ? Buffer.from(secret.replace(secretPrefix, ''), 'base64') : Buffer.alloc(0);
  if (key.length === 0) throw new TypeError(`a secret is ${secretPrefix} and base64`);
  return key;
}

function headerOf(headers: RequestHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : named(headers as Record<string, unknown>, name);
  if (typeof value !== 'string' || value === '') throw fault('headers', `no header ${name}`);
  return value;
}

/** Node writes names in lower case; others may not. */
const named = (headers: Record<string, unknown>, name: string) =>
  headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];

function parse(rawBody: string | Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { fatal: true }).decode(rawBody));
    if (typeof event === 'object' && event !== null) return event as WebhookEvent;
  } catch {
    // said below
  }
  throw fault('body', 'signed, but no JSON object');
}

/**
 * The ids of the last webhooks: an event may come more than once, and is to be handled once. Where several processes receive, this
 * belongs into what they share, for example a unique column written in the transaction that handles the event.
 */
export class SeenIds {
  readonly #ids = new Set<string>();

  /** @param most ids that are remembered; the oldest are forgotten first */
  constructor(private readonly most = 10_000) {}

  /** True when the id is new; from now on it is not. */
  take(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > this.most && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }

  /** The event could not be handled: its next attempt is new again. */
  giveBack(id: string): void {
    this.#ids.delete(id);
  }
}
