/** A client of the API. Each call is in the history before its first byte is sent, and its answer after it came or failed. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryWriter } from '../history.js';
import type { CallRecord } from '../client-records.js';
import type { Random } from '../random.js';

/** A request without the common parts of all calls. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT';
  /** Below /api/v1, unless there is another base. */
  path: string;
  base?: string;
  /** A form is sent as such, everything else as JSON. */
  body?: object;
  headers: Record<string, string>;
  /** For the history. The calls that prepare the stage have no record. */
  record?: Omit<CallRecord, 'type' | 'call'>;
}

export interface ApiAnswer {
  /** null: no complete answer. */
  status: number | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- the answer of any endpoint
  json: any;
  replayed: boolean;
}

/** Longer than the slowest answer of the service, and shorter than a part stays frozen, so that answers get lost. */
const answerMsMax = 10_000;
/** Exponential backoff with full jitter, as the API's documents recommend. */
const retryMs = { first: 500, max: 8_000 };

export class ApiClient {
  #calls = 0;
  readonly #agent = new Agent({ keepAlive: true });

  /** @param addresses host:port of each API process, through its proxy */
  constructor(
    private readonly addresses: readonly string[],
    private readonly history: HistoryWriter,
    private readonly random: Random,
  ) {}

  /** Calls one of the API processes. Never rejects. */
  async call({ method, path, base = '/api/v1', body, headers, record }: ApiCall): Promise<ApiAnswer> {
    this.#calls += 1;
    const call = this.#calls;
    if (record !== undefined) this.history.append({ type: 'call', call, ...record });
    const address = this.random.choose(this.addresses);
    const isForm = body instanceof URLSearchParams;
    const payload = isForm ? body.toString() : (JSON.stringify(body) ?? '');
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    const answer = await this.#exchange(`http://${address}${base}${path}`, method, payload, { 'Content-Type': type, ...headers }).catch(
      () => none,
    );
    if (record !== undefined) this.#noteAnswer(call, answer);
    return answer;
  }

  /** Repeats the call until the answer is neither 5xx nor 429, as clients should. Gives up when `closing` aborts, or after so many calls. */
  async callUntilAnswered(given: ApiCall, closing: AbortSignal, callsMax = 60): Promise<ApiAnswer> {
    for (let calls = 1; ; calls += 1) {
      const answer = await this.call(given);
      const isAnswered = answer.status !== null && answer.status < 500 && answer.status !== 429;
      if (isAnswered || closing.aborted || calls >= callsMax) return answer;
      const backoffMs = Math.min(retryMs.max, retryMs.first * 2 ** (calls - 1));
      await sleep(this.random.between(backoffMs / 4, backoffMs), undefined, { signal: closing }).catch(() => undefined);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #noteAnswer(call: number, { status, json, replayed }: ApiAnswer): void {
    const data = json?.data?.message ?? json?.data?.batch ?? json?.data?.replay ?? null;
    this.history.append({
      type: 'answer',
      call,
      status,
      replayed,
      code: json?.code ?? null,
      error: json?.error ?? null,
      id: data?.id ?? null,
      data,
    });
  }

  #exchange(url: string, method: string, payload: string, headers: Record<string, string>): Promise<ApiAnswer> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(answerMsMax);
      const sent = request(url, {
        method,
        agent: this.#agent,
        signal,
        headers: { ...headers, ...(payload === '' ? {} : { 'Content-Length': Buffer.byteLength(payload) }) },
      });
      sent.on('error', reject);
      sent.on('response', (response) => void read(response).then(resolve, reject));
      sent.end(payload);
    });
  }
}

const none: ApiAnswer = { status: null, json: null, replayed: false };

async function read(response: IncomingMessage): Promise<ApiAnswer> {
  const body = await text(response);
  if (!response.complete) throw new Error('the answer broke off');
  return {
    status: response.statusCode ?? null,
    json: body === '' ? null : JSON.parse(body),
    replayed: response.headers['idempotent-replayed'] === 'true',
  };
}
