/** The webhook receiver as a process of its own: verifies, acknowledges, and tells its parent what came. A child of the bench. */
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../local/certificates.js';
import { hasHexSignature, hasStandardSignature } from '../local/demo-receiver.js';

/** What the parent tells: first the certificate, and later the secret of the webhook. */
export type ReceiverOrder = { certificate: Certificate } | { secret: string };
/** A request: message, event, whether both signatures fit. */
export type Arrival = [messageId: string, event: string, isGenuine: boolean];
export type ReceiverNews = { port: number } | { arrivals: Arrival[] };

const tellEveryMs = 10;
let secret = '';
let untold: Arrival[] = [];

const tell = (news: ReceiverNews) => process.send?.(news);

function listen(certificate: Certificate): void {
  const server = createServer(certificate, (request, response) => void receive(request, response));
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as AddressInfo).port }));
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isGenuine = hasHexSignature(request.headers, body, secret) && hasStandardSignature(request.headers, body, secret);
    const { event, data } = JSON.parse(body.toString('utf8')) as { event: string; data: { message_id: string } };
    note([data.message_id, event, isGenuine]);
    response.writeHead(isGenuine ? 200 : 403).end();
  } catch {
    response.destroy(); // the sender died in the middle of the request
  }
}

function note(arrival: Arrival): void {
  untold.push(arrival);
  if (untold.length > 1) return;
  setTimeout(() => {
    tell({ arrivals: untold });
    untold = [];
  }, tellEveryMs);
}

process.on('message', (order: ReceiverOrder) => {
  if ('certificate' in order) listen(order.certificate);
  else secret = order.secret;
});
process.on('disconnect', () => process.exit(0));
