/** One HTTP request and the beginning of its answer. Providers and webhooks share it. */
import {
  type Agent as PlainAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestPlain,
} from 'node:http';
import { type Agent, request as requestTls } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';

/**
 * Options of an agent. Node.js tries the addresses of a name one after the other, and drops each but the last after this time. Its default,
 * 250 ms, is less than a slow network or a busy process takes. Then a name with an IPv6 address would not be reached where only IPv4 works.
 */
export const addressOptions = { autoSelectFamilyAttemptTimeout: 1_000 };

export interface OutgoingRequest {
  method: 'GET' | 'POST';
  /** Plain http needs a `PlainAgent`. */
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** A request without a body has no `Content-Length`. */
  body?: string | undefined;
  agent: Agent | PlainAgent;
  /** Ends the request, and the answer if it was not read to its end. Without it, the caller destroys the request that `watch` sees. */
  signal?: AbortSignal;
  /** Replaces DNS. Node.js does not call it for a literal address. */
  lookup?: LookupFunction;
  /** How much of the body of the answer is read. The rest is not fetched. */
  answerBytesMax: number;
  /** Sees the request before its socket is known. */
  watch?: (sent: ClientRequest) => void;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** At most `answerBytesMax` bytes. */
  body: Buffer;
  /** The answer was longer. */
  isCut: boolean;
}

/**
 * Closes each kept connection of the agent on which something arrives before the next request. The rest of it would be read as the answer to that
 * request. And a connection on which bytes arrive is never idle for long enough to be closed.
 */
export function closeOnUnrequestedData<Any extends Agent | PlainAgent>(agent: Any): Any {
  agent.on('free', (socket: Socket) => socket.off('data', closeUnrequested).on('data', closeUnrequested));
  return agent;
}

function closeUnrequested(this: Socket): void {
  this.destroy();
}

/**
 * How much may arrive on a connection for one answer. Node.js limits each head, but not the number of interim answers (1xx) and empty lines before
 * it, and each extension of a chunk, but not their sum. So a receiver could keep the process busy without a body. A byte of the body that is sent
 * as a chunk of its own takes six.
 */
const arrivingMax = (answerBytesMax: number) => 65_536 + 8 * answerBytesMax;

/** Counts what arrives for this request, and reports once that it is too much. A kept connection is counted anew for each request. */
function limitArriving(sent: ClientRequest, socket: Socket, bytesMax: number, report: () => void): void {
  let left = bytesMax;
  const count = ({ length }: Buffer) => {
    left -= length;
    if (left >= 0) return;
    socket.off('data', count);
    report();
  };
  socket.on('data', count);
  sent.once('close', () => socket.off('data', count));
}

/**
 * Sends a request and reads its answer. Follows no redirect.
 * @throws the reason of the signal, or the error of the request or connection. A connection that closes early is an ECONNRESET
 */
export function exchange({ body, headers, answerBytesMax, watch, url, ...options }: OutgoingRequest): Promise<HttpAnswer> {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const start = url.protocol === 'https:' ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    const sent = start(url, { ...options, headers: { ...headers, ...length, 'Accept-Encoding': 'identity' } });
    watch?.(sent);
    const fail = (error: unknown) => reject(options.signal?.aborted === true ? options.signal.reason : error);
    let answer: IncomingMessage | undefined;
    let cut: () => void = () => undefined;
    sent.on('error', (error) => (answer?.complete === true && isOfParser(error)) || fail(error));
    // Node.js emits no error in these two cases. Without the handlers the promise would never settle.
    sent.on('close', () => answer !== undefined || fail(closedEarly()));
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(answerOf(response, [], false));
    });
    sent.on('socket', (socket) => {
      socket.off('data', closeUnrequested);
      limitArriving(sent, socket, arrivingMax(answerBytesMax), () => {
        if (answer === undefined) sent.destroy(tooLong());
        else cut();
      });
    });
    sent.on('response', (response) => {
      answer = response;
      cut = read(response, answerBytesMax, resolve, fail);
    });
    sent.end(body);
  });
}

/**
 * Collects the body by events: an async iterator costs more, and each delivery of a webhook reads an answer.
 * @returns a function that cuts it here
 */
function read(response: IncomingMessage, bytesMax: number, resolve: (answer: HttpAnswer) => void, fail: (error: unknown) => void) {
  const chunks: Buffer[] = [];
  let size = 0;
  const cut = () => {
    resolve(answerOf(response, chunks, true));
    response.destroy();
  };
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, bytesMax - size));
    size += chunk.length;
    if (size > bytesMax) cut();
  });
  response.on('end', () => resolve(answerOf(response, chunks, false)));
  response.on('error', fail);
  response.on('close', () => (response.complete ? resolve(answerOf(response, chunks, false)) : fail(closedEarly())));
  return cut;
}

const answerOf = ({ statusCode = 0, headers }: IncomingMessage, chunks: readonly Buffer[], isCut: boolean): HttpAnswer => ({
  status: statusCode,
  headers,
  body: Buffer.concat(chunks),
  isCut,
});

/** What follows a complete answer, such as the rest of a body longer than its Content-Length, does not make the answer invalid. */
const isOfParser = ({ code = '' }: NodeJS.ErrnoException) => code.startsWith('HPE_');

const tooLong = () => Object.assign(new Error('The receiver sent too much before its response'), { code: 'HPE_HEADER_OVERFLOW' });
const closedEarly = () => Object.assign(new Error('The connection was closed without a response'), { code: 'ECONNRESET' });
