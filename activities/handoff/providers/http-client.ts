/** HTTPS client for providers: keeps connections, limits the answer, and reports after a failure whether the request may have arrived. */
import { Agent as PlainAgent, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent } from 'node:https';
import { addressOptions, closeOnUnrequestedData, exchange } from '../../support/http-exchange.js';
import { carrierLookup } from './carrier-lookup.js';

export interface ProviderRequest {
  method: 'GET' | 'POST';
  /** Path and query, below the provider's base address. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface ProviderAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The JSON object of the answer; `{}` if it has none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each provider has its own shapes, which its adapter reads
  json: any;
}

/** Thrown when there is no readable answer. */
export class NoAnswer extends Error {
  constructor(
    /** A short reason for operators. Contains nothing that the provider sent. */
    readonly reason: string,
    /** False when the request certainly did not reach the provider. */
    readonly mayHaveArrived: boolean,
  ) {
    super(reason);
    this.name = 'NoAnswer';
  }
}

/** For `catch`: returns null when there was no answer, and rethrows other errors. */
export function noneWithoutAnswer(error: unknown): null {
  if (error instanceof NoAnswer) return null;
  throw error;
}

export interface HttpClient {
  /** @throws NoAnswer */
  call(request: ProviderRequest, signal: AbortSignal): Promise<ProviderAnswer>;
}

const connectTimeoutMs = 4_000;
const idleSocketMs = 4_000;
const answerBytesMax = 256 * 1024;
const unreadable = 'unreadable response';
/** Enough for 100 calls a second of 3 s each. */
export const socketsMax = 300;
const freeSocketsMax = 50;

/** @param apiBase scheme, host and port. Plain http is for test doubles on this machine */
export function httpClient(apiBase: string): HttpClient {
  const options = { ...addressOptions, keepAlive: true, maxSockets: socketsMax, maxFreeSockets: freeSocketsMax, timeout: idleSocketMs };
  const lookup = carrierLookup();
  const agent = closeOnUnrequestedData(
    apiBase.startsWith('https:') ? new Agent({ ...options, minVersion: 'TLSv1.2' }) : new PlainAgent(options),
  );
  return {
    async call({ method, path, headers, body = '' }, signal) {
      const connection = new Connection();
      const url = new URL(`${apiBase}${path}`);
      const payload = method === 'GET' ? undefined : body;
      const watch = (sent: ClientRequest) => connection.watch(sent);
      const answer = await exchange({ method, url, headers, body: payload, agent, lookup, signal, answerBytesMax, watch }).catch(
        (error: unknown) => {
          if (error instanceof TypeError) throw error; // a request that Node.js cannot send is a fault of ours
          throw new NoAnswer(signal.aborted ? 'timeout' : connection.reasonFor(error as NodeJS.ErrnoException), connection.isMade);
        },
      );
      // A status below 200 is a change of the protocol, which ends the request without an answer.
      if (answer.isCut || answer.status < 200) throw new NoAnswer(unreadable, true);
      return { status: answer.status, headers: answer.headers, json: objectOf(answer.body.toString('utf8')) };
    },
  };
}

/** The connection of one request. Before it is made, nothing can have arrived at the provider. */
class Connection {
  isMade = false;
  #isAnswered = false;

  /** Why there is no answer, for operators. */
  reasonFor({ code, name }: NodeJS.ErrnoException): string {
    return this.#isAnswered ? unreadable : (code ?? name);
  }

  watch(sent: ClientRequest): void {
    sent.once('response', () => (this.#isAnswered = true));
    sent.once('socket', (socket) => {
      // Not `reusedSocket`: Node.js does not set it for a request that waited for one of the sockets.
      if (!socket.connecting) return void (this.isMade = true);
      const tooSlow = Object.assign(new Error('connect'), { code: 'CONNECT_TIMEOUT' });
      const timer = setTimeout(() => sent.destroy(tooSlow), connectTimeoutMs);
      sent.once('close', () => clearTimeout(timer));
      socket.once(sent.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer);
        this.isMade = true;
      });
    });
  }
}

function objectOf(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
