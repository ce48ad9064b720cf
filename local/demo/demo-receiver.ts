/** The webhook receiver of the demo. It verifies both signatures of every request, as a receiver should. */
import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { isSameSecret } from '../../models/rules/values/same-secret.js';
import { tlsPaths } from '../tls/local-tls.js';

export interface ReceivedEvent {
  event: string;
  data: { message_id: string; status: string };
}

export class DemoReceiver {
  /** Set when the webhook is created, before the first event can arrive. */
  secret = '';
  readonly #events: ReceivedEvent[] = [];
  readonly #arrivals = new EventEmitter();
  readonly #server;

  constructor(dataDir: string) {
    const { cert, key } = tlsPaths(dataDir);
    this.#server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
      void this.#receive(request, response);
    });
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Resolves to the verified event of this message when it has arrived. Rejects when `signal` aborts. */
  async eventOf(messageId: string, event: string, signal: AbortSignal): Promise<ReceivedEvent> {
    for (;;) {
      const received = this.#events.find(({ event: type, data }) => type === event && data.message_id === messageId);
      if (received !== undefined) return received;
      await once(this.#arrivals, 'arrival', { signal });
    }
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isGenuine = hasHexSignature(request.headers, body, this.secret) && hasStandardSignature(request.headers, body, this.secret);
    response.writeHead(isGenuine ? 200 : 403).end();
    if (!isGenuine) return;
    this.#events.push(JSON.parse(body.toString('utf8')) as ReceivedEvent);
    this.#arrivals.emit('arrival');
  }
}

/** Verifies `X-Service-Signature`: the hex HMAC of the body, keyed with the whole secret. */
export function hasHexSignature(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  return isSameSecret(String(headers['x-service-signature']), createHmac('sha256', secret).update(body).digest('hex'));
}

/** Verifies the Standard Webhooks headers: a signature over id, time and body, keyed with the part after `whsec_`, at most five minutes old. */
export function hasStandardSignature(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return (
    isRecent &&
    String(signatures)
      .split(' ')
      .some((signature) => isSameSecret(signature, `v1,${expected}`))
  );
}
