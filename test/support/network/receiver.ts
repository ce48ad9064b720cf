/** A real HTTPS receiver of webhooks, with a certificate of a private authority that this process trusts. */
import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { type Certificate, issueCertificate, makeAuthority } from '../../../local/tls/certificates.js';
import { until } from '../client.js';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

/** Handles a request. By default it is acknowledged. */
export type Answer = (received: Received, response: ServerResponse, index: number) => void;

export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** Changes the handling from now on. */
  answer: Answer;
  /** Waits until this many (matching) requests have arrived. @returns all (matching) requests */
  untilReceived(count: number, matches?: (received: Received) => boolean): Promise<Received[]>;
  close(): Promise<void>;
}

const authority = makeAuthority('Tidings test authority');

/** Issues a certificate of the test authority for these names and addresses. */
export const certificateFor = async (request: Parameters<typeof issueCertificate>[1]): Promise<Certificate> =>
  issueCertificate(await authority, request);

/** The certificate of the authority as PEM, for child processes (`NODE_EXTRA_CA_CERTS`). */
export const testAuthorityPem = async () => (await authority).cert;

/** Makes this process trust the test authority. Must run before the first TLS connection, because Node reads its list only once. */
export async function trustTestAuthority(): Promise<void> {
  const { cert } = await authority;
  const original = tls.createSecureContext;
  if ('trustsTestAuthority' in original) return;
  const patched: typeof tls.createSecureContext = (options) => {
    const context = original(options);
    if (options?.ca === undefined) context.context.addCACert(cert);
    return context;
  };
  tls.createSecureContext = Object.assign(patched, { trustsTestAuthority: true });
}

/** Starts a receiver on a free port of 127.0.0.1. By default its certificate is for that address and `localhost`. */
export async function startReceiver(answer: Answer = acknowledge, given?: Certificate): Promise<Receiver> {
  const certificate = given ?? (await certificateFor({ names: ['localhost'], addresses: ['127.0.0.1'] }));
  const receiver: Receiver = {
    url: '',
    port: 0,
    received: [],
    answer,
    async untilReceived(count, matches = () => true) {
      const found = () => receiver.received.filter(matches);
      await until(
        () => found().length >= count,
        () => `${count} requests; received: [${receiver.received.map(typeOf)}]`,
      );
      return found();
    },
    close: () => closeServer(server),
  };
  const server = createServer(certificate, (request, response) => {
    void readBody(request).then((body) => {
      const received = { headers: request.headers, body, at: Date.now() };
      receiver.received.push(received);
      receiver.answer(received, response, receiver.received.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.port = (server.address() as AddressInfo).port;
  receiver.url = `https://127.0.0.1:${receiver.port}/hook`;
  return receiver;
}

const typeOf = ({ headers, body }: Received) => headers['x-service-event'] ?? body.slice(0, 40);

export const acknowledge: Answer = (_received, response) => {
  response.writeHead(200).end('ok');
};

/** Answers with this status and these headers. */
export const answerWith =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_received, response) => {
    response.writeHead(status, headers).end();
  };

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
