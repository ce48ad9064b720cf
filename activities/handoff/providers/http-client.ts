/** HTTPS to a provider: kept connections, a capped answer, and after a failure the one thing that counts: may it have arrived? */
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
  /** The answer's object; `{}` where it is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- every provider has shapes of its own; adapters take what they find
  json: any;
}

/** No answer, or none that can be read. */
export class NoAnswer extends Error {
  constructor(
    /** A word for operators; never what the other side said. */
    readonly reason: string,
    /** False: the request certainly never reached the provider. */
    readonly mayHaveArrived: boolean,
  ) {
    super(reason);
    this.name = 'NoAnswer';
  }
}

/** For `catch`: null where there was no answer. */
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
/** A carrier that takes seconds for each call needs many to keep a rate: 100 a second at 3 s each. */
const socketsMax = 300;
const freeSocketsMax = 50;

/** @param apiBase scheme, host and port; plain http is for stand-ins on this machine */
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
      sent.on('close', () => void (isAnswered || fail('closed'))); // told as an error by none of the ways in which there was no answer
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
    if (size > answerBytesMax) throw new Error('too large'); // leaving the loop ends the connection
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
