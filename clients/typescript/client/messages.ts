/** Messages and batches. */
import { List } from './list.js';
import { assertVisible, segment } from './options.js';
import type { CallOptions, SendOptions, Transport } from './transport.js';
import type * as types from './types.js';

function keyOf(options: SendOptions): string {
  const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID(); // null, as for an absent value of a database, too
  assertVisible('idempotencyKey', idempotencyKey);
  return idempotencyKey;
}

export class Messages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends a message, once for each idempotency key. @returns the message; repeated, as it was at first */
  async send(body: types.NewMessage, options: SendOptions = {}): Promise<types.SentMessage> {
    const request = { method: 'POST', path: '/messages/send', body, idempotencyKey: keyOf(options) } as const;
    return (await this.#transport.call<{ message: types.SentMessage }>(request, options)).message;
  }

  async get(id: string, options?: CallOptions): Promise<types.Message> {
    return (await this.#transport.call<{ message: types.Message }>({ method: 'GET', path: `/messages/${segment(id)}` }, options)).message;
  }

  /** The messages, newest first. `limit` is the size of a page, not of the list. */
  list(filters: types.MessageFilters = {}, options: CallOptions = {}): List<types.ListedMessage> {
    return new List(this.#transport, '/messages', 'messages', { ...filters }, options);
  }

  /** Every step of a message so far, and what it waits for. */
  async timeline(id: string, options?: CallOptions): Promise<types.Timeline> {
    const path = `/messages/${segment(id)}/timeline`;
    return (await this.#transport.call<{ timeline: types.Timeline }>({ method: 'GET', path }, options)).timeline;
  }

  /** Cancels a message that was not handed off; its credits are refunded. */
  async cancel(id: string, options?: CallOptions): Promise<types.Message> {
    const path = `/messages/${segment(id)}/cancel`;
    return (await this.#transport.call<{ message: types.Message }>({ method: 'POST', path, isRepeatable: true }, options)).message;
  }

  /** Renders and prices a single or a bulk send, and sends nothing. */
  preview(body: types.PreviewRequest, options?: CallOptions): Promise<types.Preview> {
    return this.#transport.call({ method: 'POST', path: '/messages/preview', body, isRepeatable: true }, options);
  }
}

export class Batches {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends to up to 10,000 recipients, once for each idempotency key. @returns the batch; repeated, as it was at first */
  async send(body: types.NewBatch, options: SendOptions = {}): Promise<types.SentBatch> {
    const request = { method: 'POST', path: '/messages/bulk', body, idempotencyKey: keyOf(options) } as const;
    return (await this.#transport.call<{ batch: types.SentBatch }>(request, options)).batch;
  }

  async get(id: string, options?: CallOptions): Promise<types.Batch> {
    return (await this.#transport.call<{ batch: types.Batch }>({ method: 'GET', path: `/messages/bulk/${segment(id)}` }, options)).batch;
  }

  /** The batches, newest first. `limit` is the size of a page, not of the list. */
  list(filters: types.BatchFilters = {}, options: CallOptions = {}): List<types.Batch> {
    return new List(this.#transport, '/messages/bulk', 'batches', { ...filters }, options);
  }

  /** No further message is handed off. */
  pause(id: string, options?: CallOptions): Promise<types.Batch> {
    return this.#change(id, 'pause', options);
  }

  resume(id: string, options?: CallOptions): Promise<types.Batch> {
    return this.#change(id, 'resume', options);
  }

  /** Refunds what was not handed off. */
  cancel(id: string, options?: CallOptions): Promise<types.Batch> {
    return this.#change(id, 'cancel', options);
  }

  async #change(id: string, verb: string, options?: CallOptions): Promise<types.Batch> {
    const path = `/messages/bulk/${segment(id)}/${verb}`;
    return (await this.#transport.call<{ batch: types.Batch }>({ method: 'POST', path, isRepeatable: true }, options)).batch;
  }
}
