/** The trace of a POST: headers of request and answer, the remote address, and the duration of each phase. */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Timings } from '../../models/tables/delivery.js';

/** Maximum number and length of answer headers that are kept. */
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

  /** Milliseconds since the begin of the request. */
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
      this.#responseHeaders = bounded(response.headers);
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

const textsOf = (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]));

/** The receiver decides how many headers it sends, so only a limited part is kept. */
const bounded = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(textsOf(headers))
      .slice(0, headersMax)
      .map(([name, value]) => [name.slice(0, valueLengthMax), value.slice(0, valueLengthMax)]),
  );
