/** Contacts, suppressions and webhooks. */
import { List } from './list.js';
import { segment } from './options.js';
import type { CallOptions, Transport } from './transport.js';
import type * as types from './types.js';

/** Needs a key with the scope `manage_contacts`. */
export class Contacts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Not repeated after a lost answer: look for the contact before you try again. */
  async create(body: types.NewContact, options?: CallOptions): Promise<types.Contact> {
    return (await this.#transport.call<{ contact: types.Contact }>({ method: 'POST', path: '/contacts', body }, options)).contact;
  }

  async get(id: string, options?: CallOptions): Promise<types.Contact> {
    return (await this.#transport.call<{ contact: types.Contact }>({ method: 'GET', path: `/contacts/${segment(id)}` }, options)).contact;
  }

  /** The contacts, newest first. `limit` is the size of a page, not of the list. */
  list(filters: types.ContactFilters = {}, options: CallOptions = {}): List<types.Contact> {
    return new List(this.#transport, '/contacts', 'contacts', { ...filters }, options);
  }

  /** Changes the given fields; null clears a field. */
  async update(id: string, body: types.ContactChanges, options?: CallOptions): Promise<types.Contact> {
    const request = { method: 'PUT', path: `/contacts/${segment(id)}`, body } as const;
    return (await this.#transport.call<{ contact: types.Contact }>(request, options)).contact;
  }

  /** A repetition after a lost answer is 404. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call({ method: 'DELETE', path: `/contacts/${segment(id)}` }, options);
  }
}

/** Needs a key with the scope `manage_contacts`. */
export class Suppressions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The recipient gets no messages on the channel. A repetition changes nothing. */
  async create(body: types.NewSuppression, options?: CallOptions): Promise<types.Suppression> {
    const request = { method: 'POST', path: '/suppressions', body, isRepeatable: true } as const;
    return (await this.#transport.call<{ suppression: types.Suppression }>(request, options)).suppression;
  }

  async get(id: string, options?: CallOptions): Promise<types.Suppression> {
    const request = { method: 'GET', path: `/suppressions/${segment(id)}` } as const;
    return (await this.#transport.call<{ suppression: types.Suppression }>(request, options)).suppression;
  }

  /** The suppressions in effect, newest first. `limit` is the size of a page, not of the list. */
  list(filters: types.SuppressionFilters = {}, options: CallOptions = {}): List<types.Suppression> {
    return new List(this.#transport, '/suppressions', 'suppressions', { ...filters }, options);
  }

  /** Only the recipient can end what the recipient asked for: 409. A repetition after a lost answer is 404. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call({ method: 'DELETE', path: `/suppressions/${segment(id)}` }, options);
  }
}

/** Needs a key with the scope `manage_webhooks`. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The answer has the secret, which is shown only once. Not repeated after a lost answer: it would make a second webhook. */
  create(body: types.NewWebhook, options?: CallOptions): Promise<types.CreatedWebhook> {
    return this.#transport.call({ method: 'POST', path: '/webhooks', body }, options);
  }

  async get(id: string, options?: CallOptions): Promise<types.Webhook> {
    return (await this.#transport.call<{ webhook: types.Webhook }>({ method: 'GET', path: `/webhooks/${segment(id)}` }, options)).webhook;
  }

  /** The webhooks, newest first. `limit` is the size of a page, not of the list. */
  list(filters: types.WebhookFilters = {}, options: CallOptions = {}): List<types.Webhook> {
    return new List(this.#transport, '/webhooks', 'webhooks', { ...filters }, options);
  }

  /** Changes the given fields. */
  async update(id: string, body: types.WebhookChanges, options?: CallOptions): Promise<types.Webhook> {
    const request = { method: 'PUT', path: `/webhooks/${segment(id)}`, body } as const;
    return (await this.#transport.call<{ webhook: types.Webhook }>(request, options)).webhook;
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call({ method: 'DELETE', path: `/webhooks/${segment(id)}` }, options);
  }

  /** The types of events that a webhook can have. */
  async events(options?: CallOptions): Promise<types.EventDescription[]> {
    return (await this.#transport.call<{ events: types.EventDescription[] }>({ method: 'GET', path: '/webhooks/events' }, options)).events;
  }

  /** Sends a test event. Not repeated after a lost answer. */
  test(id: string, options?: CallOptions): Promise<unknown> {
    return this.#transport.call({ method: 'POST', path: `/webhooks/${segment(id)}/test` }, options);
  }

  /**
   * The answer has the new secret. Not repeated after a lost answer, which had the secret in it: rotate again. That ends the overlap:
   * a receiver with the original secret alone then refuses the events.
   */
  rotateSecret(id: string, { overlapHours, ...options }: CallOptions & { overlapHours?: number } = {}): Promise<types.RotatedWebhook> {
    const body = overlapHours === undefined ? {} : { overlap_hours: overlapHours };
    return this.#transport.call({ method: 'POST', path: `/webhooks/${segment(id)}/rotate-secret`, body }, options);
  }

  /** The public key of an asymmetric webhook, and during a rotation the previous one; null if the webhook has none. */
  async publicKey(id: string, options?: CallOptions): Promise<types.WebhookPublicKey> {
    return this.#transport.call({ method: 'GET', path: `/webhooks/${segment(id)}/public-key` }, options);
  }

  /** A link for the people who look after the receiver: for an hour, it shows this webhook and its deliveries in a browser. */
  async portal(id: string, options?: CallOptions): Promise<types.WebhookPortal> {
    const request = { method: 'POST', path: `/webhooks/${segment(id)}/portal` } as const;
    return (await this.#transport.call<{ portal: types.WebhookPortal }>(request, options)).portal;
  }

  /** What was sent to a webhook, newest first. */
  deliveries(id: string, filters: types.DeliveryFilters = {}, options: CallOptions = {}): List<types.Delivery> {
    return new List(this.#transport, `/webhooks/${segment(id)}/deliveries`, 'deliveries', { ...filters }, options);
  }

  /** Sends a delivery again. Not repeated after a lost answer. */
  async resend(id: string, deliveryId: string, options?: CallOptions): Promise<unknown> {
    const path = `/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/resend`;
    return this.#transport.call({ method: 'POST', path }, options);
  }

  /** Sends the deliveries of a period again; without `status`, the failed and held ones. Not repeated after a lost answer. */
  async replay(id: string, body: types.NewReplay, options?: CallOptions): Promise<types.StartedReplay> {
    const request = { method: 'POST', path: `/webhooks/${segment(id)}/replay`, body } as const;
    return (await this.#transport.call<{ replay: types.StartedReplay }>(request, options)).replay;
  }
}
