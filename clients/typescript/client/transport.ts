/** One call: its request, its timeout, its repetitions, its response. */
import { type Answer, answerOf } from './answers.js';
import { CallbackFailure, runCallback } from './callback-failure.js';
import { errorOf, reasonOf, TidingsError } from './errors.js';
import { type OnIgnoredFields, reportIgnoredFields, warning } from './ignored-fields.js';
import { assertNumbers, assertVisible, jsonOf, OptionError, rootOf, textOf } from './options.js';
import { isRetryable, mayHaveEffect, orAborted, pause, pauseMs, timerMs } from './retry.js';
import { userAgent } from './version.js';

export interface TidingsOptions {
  /** `tidings_…`, from POST /api-keys. */
  apiKey: string;
  /** Where the service is, such as `https://api.example.com`; `/api/v1` at its end is allowed. */
  baseUrl: string;
  /** For one attempt, body included. Default: 30,000 */
  timeoutMs?: number;
  /** Further attempts after a failure that is safe to repeat; `Infinity` for no limit. Default: 5 */
  retries?: number;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
  /** Called when a request succeeded, but the service has ignored fields of it, for example unknown ones. Default: a warning on the console */
  onIgnoredFields?: OnIgnoredFields;
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, also between two attempts; it then throws the reason of the signal. */
  signal?: AbortSignal;
  timeoutMs?: number;
  retries?: number;
  /**
   * Called with each response of the service, for what only its headers say, such as `X-RateLimit-Remaining` or `Idempotent-Replayed`. `attempt` is
   * 0 for the first attempt of the call. If it returns a promise, the call waits for it. What it throws ends the call: the request is not repeated,
   * though the service has answered it.
   */
  onResponse?: (status: number, headers: Headers, attempt: number) => unknown;
}

/** Options of a call that is done once for each key. */
export interface SendOptions extends CallOptions {
  /** Your own key, such as an order number: a retry after a crash of your program is safe then, too. Default: a random UUID for this call */
  idempotencyKey?: string;
}

/** Options of a call by its path. */
export interface RequestOptions extends CallOptions {
  query?: Query;
  /** What is sent as JSON; not with GET. */
  body?: unknown;
  /** Only for operations that take one: a POST with a key is repeated after failures that leave open whether it was done. */
  idempotencyKey?: string;
  /** A POST without a key is repeated, too, after failures that leave open whether it was done: it names the state to reach. */
  isRepeatable?: boolean;
}

export type Query = Readonly<Record<string, string | number | boolean | Date | undefined | null>>;

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Behind `/api/v1`. */
  path: string;
  query?: Query;
  body?: unknown;
  idempotencyKey?: string;
  /** For a POST without a key that may be repeated, since it names the state to reach. */
  isRepeatable?: boolean;
}

/** What `fetch` takes, besides the signal. */
interface Prepared {
  url: URL;
  init: RequestInit & { headers: Record<string, string> };
}

export class Transport {
  /** Hidden from whoever displays the client. */
  readonly #apiKey: string;
  readonly #root: string;
  /** For a call that does not say it. */
  readonly retries: number;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;
  readonly #onIgnoredFields: OnIgnoredFields;

  constructor(options: TidingsOptions) {
    if (typeof options.apiKey !== 'string' || options.apiKey === '') throw new OptionError('apiKey is required');
    assertVisible('apiKey', options.apiKey.trim()); // one from a file ends with a line end, which fetch removes
    this.#apiKey = options.apiKey;
    assertNumbers(options);
    this.retries = options.retries ?? 5;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#root = rootOf(options.baseUrl);
    this.#fetch = options.fetch ?? ((...given) => fetch(...given)); // some runtimes refuse a fetch that is called as a method
    this.#onIgnoredFields = options.onIgnoredFields ?? warning();
  }

  /**
   * Calls the service, again after failures that are safe to repeat.
   * @returns `data` of the answer
   * @throws TidingsError when the service refused, or all attempts failed; the reason of `signal`; what `onResponse` throws
   */
  async call<T>(request: Request, options: CallOptions = {}): Promise<T> {
    const isSafeToRepeat = request.method !== 'POST' || request.idempotencyKey !== undefined || request.isRepeatable === true;
    const retries = options.retries ?? this.retries;
    assertNumbers(options);
    const prepared = this.#prepare(request, { Accept: 'application/json' }); // a fault in it is the program's: it is not repeated
    let isUndecided = false;
    for (let attempt = 0; ; attempt += 1) {
      let answer: Answer<T>;
      try {
        answer = await this.#attempt<T>(prepared, options, attempt);
      } catch (error) {
        if (error instanceof CallbackFailure) throw error.reason;
        if (!(error instanceof TidingsError)) throw error;
        isUndecided ||= request.method !== 'GET' && mayHaveEffect(error);
        if (attempt >= retries || !isRetryable(error, isSafeToRepeat))
          throw Object.assign(error, { idempotencyKey: request.idempotencyKey ?? null, isUndecided });
        await pause(pauseMs(attempt, error.retryAfterSeconds), options.signal);
        continue;
      }
      if (answer.ignored.length > 0) reportIgnoredFields(this.#onIgnoredFields, answer.ignored, request);
      return answer.data;
    }
  }

  /**
   * Opens a response that is read as it comes.
   * @param signal ends the response, too
   * @throws TidingsError when the service refused; errors of the network as `fetch` throws them
   */
  async open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const response = await this.#ask(this.#prepare({ method: 'GET', path }, headers), signal);
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  async #attempt<T>(prepared: Prepared, options: CallOptions, attempt: number): Promise<Answer<T>> {
    const timeout = AbortSignal.timeout(timerMs(options.timeoutMs ?? this.#timeoutMs));
    const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
    const fail = (error: unknown): never => {
      options.signal?.throwIfAborted();
      if (error instanceof TidingsError) throw error;
      if (timeout.aborted) throw new TidingsError({ status: 0, code: 'timeout', message: 'No response in time' }, { cause: error });
      throw new TidingsError(
        { status: 0, code: 'network_error', message: `${this.#root} cannot be reached: ${reasonOf(error)}` },
        { cause: error },
      );
    };
    const response = await this.#ask(prepared, signal).catch(fail);
    const called = runCallback(() => options.onResponse?.(response.status, response.headers, attempt));
    // The answer is read meanwhile: a slow callback takes nothing of the timeout.
    const answer = answerOf<T>(response);
    answer.catch(() => undefined); // nobody waits for it if the callback fails
    await orAborted(called, options.signal);
    return answer.catch(fail);
  }

  /** @throws OptionError for a query, and TypeError for a body, that cannot be written */
  #prepare({ method, path, query = {}, body, idempotencyKey }: Request, more: Record<string, string>): Prepared {
    const url = new URL(this.#root + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) url.searchParams.set(name, textOf(name, value));
    }
    const headers: Record<string, string> = { 'X-API-Key': this.#apiKey, ...more };
    const agent = userAgent();
    if (agent !== undefined) headers['User-Agent'] = agent;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
    // A redirect would carry the key to another place, and a POST would become a GET.
    const init = { method, redirect: 'manual' as const, headers };
    return { url, init: body === undefined ? init : { ...init, body: jsonOf(body) } };
  }

  async #ask({ url, init }: Prepared, signal: AbortSignal): Promise<Response> {
    // A fetch of the program may change what it gets.
    return this.#fetch(new URL(url), { ...init, headers: { ...init.headers }, signal });
  }
}
