/**
 * Verifies webhooks of Tidings and of other senders that follow Standard Webhooks. No dependencies: install the package, or copy this
 * file.
 */
import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';

/** Why a request was refused. Return 403. */
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

/** The body of a webhook request. */
export interface WebhookEvent {
  /** Such as `message.delivered`. */
  event: string;
  /** ISO 8601 */
  timestamp: string;
  data: Record<string, unknown>;
}

export interface VerifiedWebhook extends WebhookEvent {
  /** The same for every attempt of an event. */
  id: string;
  /** When this attempt was made. */
  sentAt: Date;
}

/** Headers of a request: those of Node, or of the Fetch API. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

export interface VerifyOptions {
  /** How many seconds the time of the request may differ from `now`, in either direction. Default: 300 */
  toleranceSeconds?: number;
  /** Milliseconds since 1970. Default: now */
  now?: number;
}

const secretPrefix = 'whsec_';
const publicPrefix = 'whpk_';
const privatePrefix = 'whsk_';
/** The bytes before the 32 bytes of an ed25519 public key in X.509 (RFC 8410 §4). */
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex');
const publicKeyBytes = 32;
/**
 * A request has a few: of two secrets and two key pairs during a rotation. With a public key, each costs a hash of the body, which anybody could
 * demand.
 */
const signaturesMax = 16;

/**
 * Verifies the signature and the age of a webhook request.
 * @param rawBody the body as it arrived, byte for byte: parsing and serializing it changes the signature
 * @param keys the secret (`whsec_…`), or the public key (`whpk_…`) of an asymmetric webhook; several during a rotation
 * @throws WebhookVerificationError if the request is not authentic, its time differs too much from now, or its body is no JSON object;
 * TypeError if an argument is invalid
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: RequestHeaders,
  keys: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): VerifiedWebhook {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) throw new TypeError('rawBody must be the raw text or bytes');
  const checks = [keys].flat().map(checkOf);
  if (checks.length === 0) throw new TypeError('at least one secret or public key is needed');
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`)) as [
    string,
    string,
    string,
  ];
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now / 1000 - seconds) <= toleranceSeconds)) throw fault('timestamp', 'sent too long ago, or in the future');
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(rawBody)]);
  const given = signatures.split(' ', signaturesMax).map(versioned);
  const isOfKey = ({ version, comparisonWith }: Check) => {
    const fits = comparisonWith(signed);
    return given.some((item) => item.version === version && fits(item.signature));
  };
  if (!checks.some(isOfKey)) throw fault('signature', 'no signature matches');
  return { ...parse(rawBody), id, sentAt: new Date(seconds * 1000) };
}

const fault = (kind: Fault, message: string) => new WebhookVerificationError(kind, message);

/** Checks signatures of one version with one key. */
interface Check {
  version: 'v1' | 'v1a';
  comparisonWith(signed: Buffer): (signature: Buffer) => boolean;
}

function checkOf(key: string): Check {
  const text = typeof key === 'string' ? key : '';
  if (text.startsWith(privatePrefix)) throw new TypeError(`${privatePrefix}… is a private key: whoever verifies needs ${publicPrefix}…`);
  if (text.startsWith(publicPrefix)) return asymmetric(Buffer.from(text.slice(publicPrefix.length), 'base64'));
  const secret = Buffer.from(text.replace(secretPrefix, ''), 'base64');
  if (secret.length === 0) throw new TypeError(`a secret is ${secretPrefix} and base64`);
  const comparisonWith: Check['comparisonWith'] = (signed) => {
    const digest = createHmac('sha256', secret).update(signed).digest(); // once for all signatures
    return (signature) => signature.length === digest.length && timingSafeEqual(signature, digest);
  };
  return { version: 'v1', comparisonWith };
}

function asymmetric(bytes: Buffer): Check {
  if (bytes.length !== publicKeyBytes) throw new TypeError(`a public key is ${publicPrefix} and the base64 of ${publicKeyBytes} bytes`);
  const publicKey = createPublicKey({ key: Buffer.concat([publicKeyHead, bytes]), format: 'der', type: 'spki' });
  return { version: 'v1a', comparisonWith: (signed) => (signature) => verify(null, signed, publicKey, signature) };
}

function versioned(item: string): { version: string; signature: Buffer } {
  const [version = '', signature = ''] = item.split(',');
  return { version, signature: Buffer.from(signature, 'base64') };
}

function headerOf(headers: RequestHeaders, name: string): string {
  const given = typeof headers.get === 'function' ? headers.get(name) : named(headers as Record<string, unknown>, name);
  const value: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given; // some frameworks give every header as a list
  if (typeof value !== 'string' || value === '') throw fault('headers', `no header ${name}, or several`);
  return value;
}

/** Node gives names in lower case; other frameworks may not. */
const named = (headers: Record<string, unknown>, name: string) =>
  headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];

function parse(rawBody: string | Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { fatal: true }).decode(rawBody));
    if (typeof event === 'object' && event !== null) return event as WebhookEvent;
  } catch {
    // reported below
  }
  throw fault('body', 'the signed body is not a JSON object');
}

/**
 * The ids of the last events, because an event may arrive more than once. If several processes receive events, store the ids in a shared
 * database instead: a unique column, written in the transaction that handles the event.
 */
export class SeenIds {
  readonly #ids = new Set<string>();

  /** @param max the number of ids that are remembered; the oldest are forgotten first */
  constructor(private readonly max = 10_000) {}

  /** Remembers the id. @returns whether it was new */
  take(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > this.max && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }

  /** Forgets the id, so that the next attempt is handled. */
  giveBack(id: string): void {
    this.#ids.delete(id);
  }
}
