/** A fake provider that speaks the protocol of a real one, on a free port of this machine. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A received request. */
export interface Taken {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Counterpart {
  url: string;
  close(): Promise<void>;
}

/** For the settings of a carrier that a test never calls: nothing listens there. */
export const nowhere: Pick<Counterpart, 'url'> = { url: 'http://127.0.0.1:1' };

/** Starts the server. `answer` handles every request. */
export async function startCounterpart(answer: (request: Taken, response: ServerResponse) => void): Promise<Counterpart> {
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    void text(request).then((body) => answer({ method, path, headers, body }, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers with JSON. @returns true: the request is handled */
export function reply(response: ServerResponse, status: number, body: object | null, headers: Record<string, string> = {}): true {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(body === null ? '' : JSON.stringify(body));
  return true;
}

/** Closes the connection without a response. */
export function drop(response: ServerResponse): true {
  response.socket?.destroy();
  return true;
}

/** How long carriers usually wait for the response to a callback. */
const postMsMax = 15_000;

/** Posts a callback. @returns the status of the response; rejects without a response within 15 s */
export async function post(url: string, body: string | URLSearchParams, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(postMsMax) });
  await response.arrayBuffer();
  return response.status;
}
