/** Calls of the API, typed by its OpenAPI document (schema.ts, generated). The session is a cookie, which the browser adds by itself. */
import { anySignal } from './any-signal.js';
import { urlOf } from './base.js';
import { noteAllowance } from './allowance.js';
import { noteClock } from './clock.js';
import { endedText, type ErrorBody, Problem, unreachable } from './problem.js';
import type { components, paths } from './schema.js';

type Method = 'get' | 'post' | 'put' | 'delete';
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Answer<T> = T extends { responses: infer Responses } ? Json<Responses[keyof Responses & (200 | 201 | 202)]> : never;

/** A schema of the OpenAPI document by its name. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
/** `data` of a successful answer. */
export type Data<P extends keyof paths, M extends Method> = Answer<paths[P][M]> extends { data: infer Content } ? Content : never;
type Body<P extends keyof paths, M extends Method> = paths[P][M] extends { requestBody?: infer Given }
  ? Json<Exclude<Given, undefined>>
  : never;
export type Query<P extends keyof paths, M extends Method> = paths[P][M] extends { parameters: { query?: infer Given } }
  ? { [Name in keyof Given]?: Given[Name] | null | undefined }
  : object;
/** The filters of a list, as the address of a screen has them. A filter of the API that a screen leaves out is a fault of types. */
export type FiltersOf<P extends keyof paths> = Readonly<
  Record<Exclude<keyof Query<P, 'get'>, 'page' | 'limit' | 'cursor'>, string | undefined>
>;

export interface Input<P extends keyof paths, M extends Method> {
  /** Values of `{id}` and others in the path. */
  params?: Readonly<Record<string, string>>;
  /** Empty values are left out. */
  query?: Query<P, M>;
  body?: Body<P, M>;
  signal?: AbortSignal;
  /** The same for a repeated request. */
  idempotencyKey?: string;
  /** Gets the headers of the answer. */
  answered?(headers: Headers): void;
}

/** The credential of the portal; null: the cookie of the session. */
let bearer: string | null = null;
export function setBearerToken(token: string): void {
  bearer = token;
}

/** Called when the API no longer accepts the session. */
let loggedOutListener: () => void = () => undefined;
export function onLoggedOut(listener: () => void): void {
  loggedOutListener = listener;
}

/** Called with the status of an answer, before the answer is used. */
type CheckAnswer = (status: number) => void;

/** Called before each request; may throw to stop it. Returns a check of the status, which may throw in place of the answer. */
let guard: () => CheckAnswer = () => () => undefined;
export function setCallGuard(check: typeof guard): void {
  guard = check;
}

/** A connection may die without a word. The service itself waits less for a body, but a proxy may buffer it from a slow line. */
const timeoutMsOf = (body: string | undefined): number => 60_000 + (body?.length ?? 0) / 4;

/**
 * Calls an operation.
 * @returns `data` of the answer
 * @throws Problem for every answer that is not a success, and when there is no answer; AbortError after `signal`
 */
export async function call<P extends keyof paths, M extends Method>(method: M, path: P, input: Input<P, M> = {}): Promise<Data<P, M>> {
  const checkAnswer = guard();
  const { signal, idempotencyKey } = input;
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  const late = AbortSignal.timeout(timeoutMsOf(body));
  const response = await fetch(addressOf(path, input), {
    method: method.toUpperCase(),
    ...(bearer === null ? {} : { credentials: 'omit' }),
    headers: {
      ...(bearer === null ? {} : { Authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body }),
    signal: signal === undefined ? late : anySignal(signal, late),
  }).catch((error: unknown) => {
    throw isAbort(error) ? error : unreachable();
  });
  input.answered?.(response.headers);
  noteClock(response.headers);
  const content: unknown = await response.json().catch((error: unknown) => {
    if (isAbort(error)) throw error;
    return {};
  });
  const answer: { data?: unknown } & ErrorBody = isObject(content) ? content : {};
  const isOfLogin = /^\/(console\/session|api\/v1\/auth\/)/.test(path);
  // Logins have limits of their own.
  if (!isOfLogin) noteAllowance(response.headers);
  // A success that ends in the middle, or that a proxy made up, is no answer.
  if (response.ok && !isObject(answer.data)) throw unreachable();
  if (response.status < 500) checkAnswer(response.status);
  if (response.ok) return answer.data as Data<P, M>;
  const problem = new Problem(response.status, answer);
  // A wrong password is 401, too, with another text: it is the answer to a form.
  if (response.status === 401 && (problem.message === endedText || !isOfLogin)) loggedOutListener();
  throw problem;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError';

function addressOf(path: string, { params = {}, query = {} }: { params?: Readonly<Record<string, string>>; query?: object }): URL {
  const url = urlOf(path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')));
  for (const [name, value] of Object.entries(query) as [string, string | number | boolean | null | undefined][]) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, String(value));
  }
  return url;
}
