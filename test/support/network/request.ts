/** A plain HTTP request. `fetch` takes four times the CPU, and the tests send a hundred thousand requests. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

export interface HttpAnswer {
  status: number;
  headers: Headers;
  /** Empty for a stream of events, which has no end. */
  text: string;
}

export interface HttpRequest {
  method: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}

/** Closes idle connections as soon as `fetch` does. A server that closes one at the moment of its reuse would fail the request. */
const agent = new Agent({ keepAlive: true, timeout: 4_000 });

/**
 * Sends a request over a connection that is kept. Follows no redirects.
 * @throws if the server cannot be reached, or ends the connection before its answer
 */
export async function request(url: string, { method, headers = {}, body }: HttpRequest): Promise<HttpAnswer> {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }; // Node sets none for DELETE
  const sent = startRequest(url, { method, headers: { 'User-Agent': 'node', ...length, ...headers }, agent }).end(body);
  sent.on('error', () => undefined); // also after the response: a server that refuses a body may close the connection before it has read it
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = { status: response.statusCode as number, headers: headersOf(response) };
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return { ...answer, text: await textOf(response) };
  response.destroy();
  return { ...answer, text: '' };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
  return headers;
}
