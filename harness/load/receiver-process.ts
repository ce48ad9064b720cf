/** The webhook receiver, in a child process of the bench. It verifies and answers requests, and reports them to its parent. */
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Certificate } from '../../local/tls/certificates.js';
import { hasHexSignature, hasStandardSignature } from '../../local/demo/demo-receiver.js';

/** How requests with valid signatures are answered. */
export interface ResponseBehaviour {
  /** `never`: no response. */
  status: number | 'never';
  /** The delay of the response. */
  afterMs: number;
}
/** Commands of the parent: first the certificate, answered with the port, later the webhook secret and the behaviour of each endpoint. */
export type ReceiverCommand =
  | { certificate: Certificate }
  | { path: string; secret: string }
  | { path: string; behaviour: ResponseBehaviour };
export interface Arrival {
  messageId: string;
  event: string;
  /** Both signatures are valid. */
  isGenuine: boolean;
  /** When the request was complete, and when its event happened, in milliseconds since 1970. */
  at: number;
  eventAt: number;
}
/** Messages to the parent after the port. */
export type Arrivals = [path: string, arrival: Arrival][];

const tellEveryMs = 10;
const secrets = new Map<string, string>();
const behaviours = new Map<string, ResponseBehaviour>();
const acknowledge: ResponseBehaviour = { status: 200, afterMs: 0 };
let unsent: Arrivals = [];

function listen(certificate: Certificate): void {
  const server = createServer(certificate, (request, response) => void receive(request, response));
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers, url: path = '' } = request;
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const at = Date.now();
    const body = Buffer.concat(chunks);
    const secret = secrets.get(path) ?? '';
    const isGenuine = hasHexSignature(headers, body, secret) && hasStandardSignature(headers, body, secret);
    const { event, timestamp, data } = JSON.parse(body.toString('utf8')) as {
      event: string;
      timestamp: string;
      data: { message_id: string };
    };
    note([path, { messageId: data.message_id, event, isGenuine, at, eventAt: Date.parse(timestamp) }]);
    const { status, afterMs } = behaviours.get(path) ?? acknowledge;
    if (status === 'never') return;
    if (afterMs > 0) await sleep(afterMs);
    response.writeHead(isGenuine ? status : 403).end();
  } catch {
    response.destroy(); // the sender died during the request
  }
}

function note(arrival: Arrivals[number]): void {
  unsent.push(arrival);
  if (unsent.length > 1) return;
  setTimeout(() => {
    process.send?.(unsent);
    unsent = [];
  }, tellEveryMs);
}

process.on('message', (command: ReceiverCommand) => {
  if ('certificate' in command) listen(command.certificate);
  else if ('secret' in command) secrets.set(command.path, command.secret);
  else behaviours.set(command.path, command.behaviour);
});
process.on('disconnect', () => process.exit(0));
