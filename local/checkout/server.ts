/**
 * A local replacement of Stripe for installations in which all servers are embedded: the part of Stripe's API that the service uses, a page
 * that simulates payments, and the callbacks. It runs inside the launcher.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSameSecret } from '../../models/rules/values/same-secret.js';
import { CheckoutStore, type LocalEvent } from './store.js';
import { type Action, indexPage, isOffered, missingPage, pageHeaders, sessionPage } from './pages.js';
import { postEvent } from './post-events.js';
import { type LocalSession, newId, RefusedRequest, refundedCharge, seconds, sessionFrom, sessionObject } from './session.js';

export interface CheckoutPlace {
  port: number;
  secretKey: string;
  webhookSecret: string;
  /** The address of the API, seen from this process. */
  api: string;
  /** The path of the state file. */
  state: string;
}

export interface LocalCheckout {
  url: string;
  close(): Promise<void>;
}

const bodyBytesMax = 64 * 1024;

/** Starts the server, and posts the events that the last run has left. Rejects if the port is in use. */
export async function startCheckout({ port, secretKey, webhookSecret, api, state }: CheckoutPlace): Promise<LocalCheckout> {
  const ending = new AbortController();
  const store = new CheckoutStore(state);
  const callback = { url: `${api}/api/v1/billing/webhook`, webhookSecret, signal: ending.signal };
  const checkout = new Checkout(store, secretKey, api, (event) => void postEvent(store, event, callback));
  const server = createServer((request, response) => void checkout.serve(request, response));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  checkout.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const event of store.events) void postEvent(store, event, callback);
  const close = async () => {
    ending.abort();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: checkout.url, close };
}

class Checkout {
  url = '';

  constructor(
    private readonly store: CheckoutStore,
    private readonly secretKey: string,
    private readonly api: string,
    private readonly publish: (event: LocalEvent) => void,
  ) {}

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      // A different Host header means DNS rebinding: a web site tries to reach this server through the user's browser.
      if (request.headers.host !== new URL(this.url).host) return void response.writeHead(421).end();
      const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
      if (pathname.startsWith('/v1/')) await this.#serveApi(request, response, pathname);
      else await this.#servePages(request, response, pathname, searchParams);
    } catch (error) {
      const isRefusal = error instanceof RefusedRequest;
      respondJson(response, isRefusal ? 400 : 500, refusal(isRefusal ? 'invalid_request_error' : 'api_error', (error as Error).message));
    }
  }

  async #serveApi(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (!isSameSecret(request.headers.authorization ?? '', `Bearer ${this.secretKey}`)) {
      return respondJson(response, 401, refusal('invalid_request_error', 'Invalid API Key provided.'));
    }
    const [, id] = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(path) ?? [];
    if (request.method === 'POST' && path === '/v1/checkout/sessions') {
      const key = request.headers['idempotency-key'];
      const session = this.#open(await readForm(request), typeof key === 'string' ? key : null);
      return respondJson(response, 200, this.#view(session));
    }
    if (request.method === 'GET' && path === '/v1/checkout/sessions') return respondJson(response, 200, this.#list());
    const session = request.method === 'GET' && id !== undefined ? this.store.session(id) : undefined;
    if (session !== undefined) return respondJson(response, 200, this.#view(session));
    respondJson(response, 404, refusal('invalid_request_error', `The local checkout has no ${request.method} ${path}.`));
  }

  /** All sessions. Only the doctor asks, to see whether the key is accepted. */
  #list() {
    return { object: 'list', data: this.store.sessions.map((session) => this.#view(session)), has_more: false };
  }

  #open(form: URLSearchParams, idempotencyKey: string | null): LocalSession {
    const known = this.store.sessionUnder(idempotencyKey);
    if (known !== undefined) return known;
    const session = sessionFrom(form, idempotencyKey);
    this.store.add(session);
    return session;
  }

  async #servePages(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): Promise<void> {
    const respond = (status: number, html: string) => void response.writeHead(status, pageHeaders).end(html);
    if (path === '/') return respond(200, indexPage(this.store.sessions, `${this.api}/api/v1/billing/checkout`));
    const session = this.store.session(/^\/pay\/(\w+)$/.exec(path)?.[1] ?? '');
    if (session === undefined) return respond(404, missingPage());
    if (request.method === 'POST') {
      const action = (await readForm(request)).get('action') ?? '';
      const current = this.store.session(session.id) ?? session; // another request may have changed it meanwhile
      if (isOffered(current.state, action)) this.#act(current, action);
      return void response.writeHead(303, { Location: `${path}${action === 'decline' ? '?declined=1' : ''}` }).end();
    }
    const isPending = this.store.events.some(({ sessionId }) => sessionId === session.id);
    respond(200, sessionPage(session, { wasDeclined: query.has('declined'), isPending }));
  }

  #act(session: LocalSession, action: Action): void {
    const paid = { state: 'paid', paymentIntent: session.paymentIntent ?? newId('pi') } as const;
    const outcomes: Record<Exclude<Action, 'decline'>, [Partial<LocalSession>, string]> = {
      pay: [paid, 'checkout.session.completed'],
      pay_later: [{ state: 'processing', paymentIntent: paid.paymentIntent }, 'checkout.session.completed'],
      confirm: [paid, 'checkout.session.async_payment_succeeded'],
      refuse: [{ state: 'failed' }, 'checkout.session.async_payment_failed'],
      refund: [{ state: 'refunded' }, 'charge.refunded'],
    };
    if (action === 'decline') return;
    const [change, type] = outcomes[action];
    const eventOf = (changed: LocalSession): LocalEvent => {
      const object = type === 'charge.refunded' ? refundedCharge(changed) : this.#view(changed);
      return { id: newId('evt'), type, created: seconds(), sessionId: changed.id, object };
    };
    this.publish(this.store.change(session, change, eventOf));
  }

  #view(session: LocalSession) {
    return sessionObject(session, `${this.url}/pay/${session.id}`);
  }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) {
    text += (chunk as Buffer).toString('latin1'); // a form is ASCII; other characters are percent-encoded
    if (text.length > bodyBytesMax) throw new RefusedRequest('The request is too large.');
  }
  return new URLSearchParams(text);
}

function respondJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': newId('req') }).end(JSON.stringify(body));
}

const refusal = (type: string, message: string) => ({ error: { type, message } });
