/** The trace of a POST: headers of request and answer, the remote address, and the duration of each phase. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Timings } from '../../models/tables/delivery.js';

/** Maximum number and length of answer headers that are kept. The receiver decides how many it sends. */
const headersMax = 40;
const valueLengthMax = 256;

export interface Trace {
  /** As sent, names in lower case; null if nothing was sent. */
  requestHeaders: Record<string, string> | null;
  responseHeaders: Record<string, string> | null;
  timings: Timings;
  remoteAddress: string | null;
}

/** Traces one request. A phase that did not take place is null. */
export class Tracer {
  readonly #startedAt = performance.now();
  #requestHeaders: Record<string, string> | null = null;
  #responseHeaders: Record<string, string> | null = null;
  #remoteAddress: string | null = null;
  readonly #parts = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null } as Omit<Timings, 'total_ms'>;

  /** Milliseconds since the start of the request. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  watch(request: ClientRequest): void {
    let mark = 0;
    const sinceMark = () => {
      const part = Math.round(this.elapsedMs - mark);
      mark = this.elapsedMs;
      return part;
    };
    request.once('socket', (socket: Socket) => {
      mark = this.elapsedMs;
      const reached = () => {
        this.#requestHeaders = textsOf(request.getHeaders());
        this.#remoteAddress = socket.remoteAddress ?? null;
      };
      if (!socket.connecting) return reached(); // a connection kept from an earlier request
      socket.once('lookup', () => (this.#parts.dns_ms = sinceMark()));
      socket.once('connect', () => {
        this.#parts.connect_ms = sinceMark();
        this.#remoteAddress = socket.remoteAddress ?? null;
      });
      socket.once('secureConnect', () => {
        this.#parts.tls_ms = sinceMark();
        reached();
      });
    });
    request.once('response', (response: IncomingMessage) => {
      this.#parts.first_byte_ms = sinceMark();
      this.#responseHeaders = textsOf(response.headers, headersMax, valueLengthMax);
    });
  }

  /** The trace so far. */
  trace(): Trace {
    return {
      requestHeaders: this.#requestHeaders,
      responseHeaders: this.#responseHeaders,
      timings: { ...this.#parts, total_ms: Math.round(this.elapsedMs) },
      remoteAddress: this.#remoteAddress,
    };
  }
}

type Headers = Readonly<Record<string, string | number | string[] | undefined>>;

/** Copies the first headers as texts, each up to a length. */
function textsOf(headers: Headers, most = Infinity, lengthMax = Infinity): Record<string, string> {
  const texts: [string, string][] = [];
  for (const name in headers) {
    if (texts.length === most) break;
    const value = headers[name];
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    texts.push([name.slice(0, lengthMax), text.slice(0, lengthMax)]);
  }
  return Object.fromEntries(texts);
}
