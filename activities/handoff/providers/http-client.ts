/** HTTPS client for providers: keeps connections, limits the answer, and tells after a failure whether the request may have arrived. */
import { Agent as PlainAgent, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent } from 'node:https';
import { exchange } from '../../support/http-exchange.js';

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
/** Enough for 100 calls a second of 3 s each. */
const socketsMax = 300;
const freeSocketsMax = 50;

/** @param apiBase scheme, host and port. Plain http is for test doubles on this machine */
export function httpClient(apiBase: string): HttpClient {
  const options = { keepAlive: true, maxSockets: socketsMax, maxFreeSockets: freeSocketsMax, timeout: idleSocketMs };
  const agent = apiBase.startsWith('https:') ? new Agent({ ...options, minVersion: 'TLSv1.2' }) : new PlainAgent(options);
  return {
    async call({ method, path, headers, body = '' }, signal) {
      const connection = new Connection();
      const url = new URL(`${apiBase}${path}`);
      const sent = method === 'GET' ? undefined : body;
      const watch = (request: ClientRequest) => connection.watch(request);
      const answer = await exchange({ method, url, headers, body: sent, agent, signal, answerBytesMax, watch }).catch((error: unknown) => {
        throw new NoAnswer(signal.aborted ? 'timeout' : reasonOf(error as NodeJS.ErrnoException), connection.isMade);
      });
      // A status below 200 is a change of the protocol, which ends the request without an answer.
      if (answer.isCut || answer.status < 200) throw new NoAnswer('unreadable answer', true);
      return { status: answer.status, headers: answer.headers, json: objectOf(answer.body.toString('utf8')) };
    },
  };
}

const reasonOf = ({ code, name }: NodeJS.ErrnoException) => code ?? name;

/** The connection of one request. Before it is made, nothing can have arrived at the provider. */
class Connection {
  isMade = false;

  watch(sent: ClientRequest): void {
    sent.once('socket', (socket) => {
      if (sent.reusedSocket) return void (this.isMade = true);
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
