/** HTTPS client for providers: keeps connections, caps the answer, and tells after a failure whether the request may have arrived. */
import { Agent as PlainAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http';
import { Agent, request as requestTls } from 'node:https';

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
  const isTls = apiBase.startsWith('https:');
  const options = { keepAlive: true, maxSockets: socketsMax, maxFreeSockets: freeSocketsMax, timeout: idleSocketMs };
  const agent = isTls ? new Agent({ ...options, minVersion: 'TLSv1.2' }) : new PlainAgent(options);
  const start = isTls ? requestTls : requestPlain;

  const call = ({ method, path, headers, body = '' }: ProviderRequest, signal: AbortSignal) =>
    new Promise<ProviderAnswer>((resolve, reject) => {
      let isConnected = false;
      let isAnswered = false;
      let connecting: NodeJS.Timeout | undefined;
      const fail = (reason: string) => {
        clearTimeout(connecting);
        reject(new NoAnswer(reason, isConnected));
      };
      const length = method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const sent = start(`${apiBase}${path}`, { method, agent, signal, headers: { ...headers, ...length, 'Accept-Encoding': 'identity' } });
      sent.on('socket', (socket) => {
        if (sent.reusedSocket) return void (isConnected = true);
        connecting = setTimeout(() => sent.destroy(Object.assign(new Error('connect'), { code: 'CONNECT_TIMEOUT' })), connectTimeoutMs);
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          clearTimeout(connecting);
          isConnected = true;
        });
      });
      sent.on('error', (error: NodeJS.ErrnoException) => fail(signal.aborted ? 'timeout' : (error.code ?? error.name)));
      sent.on('close', () => void (isAnswered || fail('closed'))); // Node.js emits no error for some connections that close without an answer
      sent.on('response', (response) => {
        isAnswered = true;
        read(response).then(resolve, () => fail(signal.aborted ? 'timeout' : 'unreadable answer'));
      });
      sent.end(body);
    });
  return { call };
}

async function read(response: IncomingMessage): Promise<ProviderAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerBytesMax) throw new Error('too large'); // leaving the loop closes the connection
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, headers: response.headers, json: objectOf(Buffer.concat(chunks).toString('utf8')) };
}

function objectOf(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
