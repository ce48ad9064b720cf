/**
 * A client of Tidings for Node 20.3 and newer, Deno, Bun and edge runtimes. It needs `fetch`, the Web Crypto API, `URL.canParse` and
 * `AbortSignal.timeout`, for calls with a `signal` also `AbortSignal.any`, and nothing else.
 */
import { Batches, Messages } from './messages.js';
import { assertMethod, assertPath, assertVisible, OptionError } from './options.js';
import { Contacts, Suppressions, Webhooks } from './resources.js';
import { readStream, type StreamEvent, type StreamOptions } from './stream.js';
import { type CallOptions, type Request, type RequestOptions, type TidingsOptions, Transport } from './transport.js';
import type { Balance, Usage, UsageQuery } from './types.js';

/**
 * Its methods throw TidingsError, the reason of `signal`, OptionError for an option, an id or an idempotency key that cannot work, TypeError for a
 * body that is not JSON, and what your `onResponse` or `onOpen` throws.
 */
export class Tidings {
  readonly messages: Messages;
  readonly batches: Batches;
  readonly contacts: Contacts;
  readonly suppressions: Suppressions;
  readonly webhooks: Webhooks;
  readonly #transport: Transport;

  /** @throws OptionError for options that cannot work */
  constructor(options: TidingsOptions) {
    this.#transport = new Transport(options);
    this.messages = new Messages(this.#transport);
    this.batches = new Batches(this.#transport);
    this.contacts = new Contacts(this.#transport);
    this.suppressions = new Suppressions(this.#transport);
    this.webhooks = new Webhooks(this.#transport);
  }

  /** The credit balance, and the credits spent today. */
  balance(options?: CallOptions): Promise<Balance> {
    return this.#transport.call({ method: 'GET', path: '/balance' }, options);
  }

  /** Messages and credits of a period, by day or channel. */
  usage(query: UsageQuery = {}, options?: CallOptions): Promise<Usage> {
    return this.#transport.call({ method: 'GET', path: '/usage', query: { ...query } }, options);
  }

  /**
   * Calls an operation that has no method here, and repeats it as the methods do: a POST without a key only after 429 and 503 of the service,
   * unless it has `isRepeatable`.
   * @param path behind `/api/v1`, such as `/webhooks/ID/replays`; its parts encoded, as by `encodeURIComponent`
   * @returns `data` of the answer
   */
  async request<T = unknown>(
    method: Request['method'],
    path: string,
    { query, body, idempotencyKey, isRepeatable, ...options }: RequestOptions = {},
  ): Promise<T> {
    assertMethod(method);
    assertPath(path);
    const request: Request = { method, path, query: query ?? {}, body: body ?? undefined, isRepeatable: isRepeatable === true };
    if (method === 'GET' && request.body !== undefined) throw new OptionError('GET has no body');
    const key = idempotencyKey ?? undefined;
    if (key !== undefined) {
      assertVisible('idempotencyKey', key);
      request.idempotencyKey = key;
    }
    return this.#transport.call(request, options);
  }

  /**
   * Every status change of a message, as it happens. The stream is opened when the first event is asked for; it survives lost connections, and
   * no event comes twice.
   */
  stream(options: StreamOptions = {}): AsyncGenerator<StreamEvent, void> {
    return readStream(this.#transport, options);
  }
}

export { type ErrorDetail, TidingsError } from './errors.js';
export type { OnIgnoredFields } from './ignored-fields.js';
export type { List, Page } from './list.js';
export { OptionError } from './options.js';
export type { Batches, Messages } from './messages.js';
export type { Contacts, Suppressions, Webhooks } from './resources.js';
export type { ResetEvent, StreamEvent, StreamOptions } from './stream.js';
export type { CallOptions, RequestOptions, SendOptions, TidingsOptions } from './transport.js';
export type * from './types.js';
