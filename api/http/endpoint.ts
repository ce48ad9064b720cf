/** The declaration of an endpoint. The router, the OpenAPI document and many test cases are derived from it. */
import type { IncomingHttpHeaders } from 'node:http';
import type Joi from 'joi';
import type { AppError } from '../../models/errors.js';
import type { Origin } from '../../models/rules/audit/origin.js';
import type { SendTrace } from './request-context.js';
import type { Scope } from '../../models/rules/accounts/api-key.js';
import type { Caller } from './caller.js';
import type { Checked } from './schemas/validation.js';

/** The credential that an endpoint needs; a scope of null means any API key. With `provider`, the handler verifies a signature over the raw body. */
export type Auth = 'none' | 'jwt' | 'provider' | { readonly scope: Scope | null; readonly jwtToo: boolean; readonly portalToo?: true };
/** An API key with this scope. */
export const apiKey = (scope: Scope) => ({ scope, jwtToo: false }) as const;
/** A JWT, or an API key with this scope. */
export const apiKeyOrJwt = (scope: Scope) => ({ scope, jwtToo: true }) as const;

/**
 * A JWT, an API key with the scope `manage_webhooks`, or the link to the portal of the webhook whose id is in the path. What strangers with a link
 * may call is listed in the test of the portal. For other operations on webhooks use `apiKeyOrJwt('manage_webhooks')`.
 */
export const webhooksOrPortal = { scope: 'manage_webhooks', jwtToo: true, portalToo: true } as const;

/** A JWT, or any API key. */
export const anyCredential = { scope: null, jwtToo: true } as const;

/** The scope that an API key needs; null: none. */
export const scopeOf = (auth: Auth): Scope | null => (typeof auth === 'object' ? auth.scope : null);

/** The subjects by which the OpenAPI document groups operations; clients get a class for each. */
export type Tag =
  | 'auth'
  | 'console'
  | 'messages'
  | 'workspace'
  | 'erasures'
  | 'api-keys'
  | 'audit-events'
  | 'contacts'
  | 'suppressions'
  | 'webhooks'
  | 'stream'
  | 'billing'
  | 'callbacks'
  | 'unsubscribe'
  | 'health';

/** Rate limits that an endpoint declares itself. `bucketOf` in admit.ts uses them instead of the limit of the credential. */
export type OwnRate = 'auth' | 'bulk' | 'callback' | 'probe';

type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & ParamsOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : object;

/** Adds a workspace to the log line of the request. For operations that need no credential: they learn later which account is meant. */
export type LogWorkspace = (workspaceId: string) => void;

/** The input of a handler: validated, and free of HTTP. */
export interface Input<A extends Auth, Path extends string, Query, Body> extends SendTrace {
  caller: A extends 'none' | 'provider' ? null : Caller;
  params: ParamsOf<Path>;
  query: Query;
  body: Body;
  /** What `examine` refuses; null if nothing. The handler throws it after the look-up of the idempotency key and its own 400 and 404. */
  refusal: AppError | null;
  /** The `Idempotency-Key` header, for endpoints that declare `idempotent`; null when the client sent none. */
  idempotencyKey: string | null;
  /** The `Last-Event-ID` header: the last event of a stream that the client received. */
  lastEventId: string | null;
  /** The actor and its client address, for audit events. */
  origin: Origin;
  /** The parts of the request that a provider signs. Used by `provider` endpoints. */
  signed: { url: string; headers: IncomingHttpHeaders; body: Buffer };
  logWorkspace: LogWorkspace;
}

/** The part of a request that comes before its body. */
export interface HttpHead {
  params: Record<string, string>;
  headers: IncomingHttpHeaders;
}

/** @typeParam Services what its handler uses besides its input; `api/declare.ts` says what ours are */
export interface Declaration<A extends Auth, Path extends string, Query extends object, Body extends object, Services> {
  /** Verb and resource: the operation id in the OpenAPI document, and the name of the method in generated clients. */
  id: string;
  tag: Tag;
  method: 'get' | 'post' | 'put' | 'delete';
  path: Path;
  summary: string;
  auth: A;
  rate?: OwnRate;
  query?: Joi.ObjectSchema<Query>;
  body?: Joi.ObjectSchema<Body>;
  /** Checks path and headers before the body is read, so that an invalid request uses no memory. */
  checkHead?(head: HttpHead, deps: Services): void;
  /** A second rate limit, for requests with such a body. It is counted when the caller is known: a revoked key must not use it up. */
  secondRate?(body: Buffer): OwnRate | undefined;
  /** A scope that such a body needs in addition to that of `auth`. Checked before the body is validated. */
  extraScope?(given: Record<string, unknown>): Scope | null;
  /** Validation that a schema cannot do, or that would block other requests. May add faults, and add values to the body. */
  examine?(checked: Checked<Body>, deps: Services): Promise<Checked<Body>>;
  /** Maximum body size in bytes. A function is called after `checkHead`. Default: 100 kB. */
  bodyBytesMax?: number | ((head: HttpHead, deps: Services) => number);
  /** Whether a bulk endpoint handles this body in the main thread, because it costs as little as a single send. The bulk thread takes a second to start. */
  isCheap?(body: Buffer): boolean;
  /** Sends messages. Refused for suspended workspaces, and for unverified ones if a real carrier is configured. */
  sends?: boolean;
  /** Passes the accept gate, which refuses requests while the service is overloaded. */
  gated?: boolean;
  /**
   * Its handler may read many rows: it waits for a turn of its workspace, and for nothing outside the database. It holds one connection at a
   * time.
   */
  costly?: true;
  /** Accepts an `Idempotency-Key`. */
  idempotent?: boolean;
  /** The schema of `data`, or of the whole response without an envelope. It has a name, see `named`. */
  response: Joi.Schema;
  status?: 200 | 201 | 202;
  /** The response is a stream. `response` describes one line of it, or the data of one event. */
  streams?: 'application/x-ndjson' | 'text/event-stream';
  /** Some callers get 204 without a body, because they cannot handle a response. */
  mayBeEmpty?: true;
  /** Another status with the same response schema. */
  otherStatus?: 503;
  /** false: the response is not wrapped in `{success, data}`. */
  envelope?: false;
  handler(input: Input<A, Path, Query, Body>, deps: Services): Promise<object>;
}

/** @typeParam Services not needed by those who only read the declaration */
export interface Endpoint<Services = never> extends Declaration<Auth, string, object, object, Services> {
  /** Validated and handled in the bulk thread instead of the main thread, except a body for which `isCheap` is true. */
  inBulkThread?: true;
}

/** Wraps the handler of a costly endpoint, for example so that it waits for its turn. */
export type Wrap<Services> = (handler: Endpoint<Services>['handler']) => Endpoint<Services>['handler'];

/**
 * Returns the function that declares endpoints whose handlers use these services. The types of a handler's input are derived from its schemas
 * and its path.
 * @param costly wraps the handlers of `costly` endpoints. Without it there can be none
 */
export function declaring<Services>(costly?: Wrap<Services>) {
  return <A extends Auth, Path extends string, Query extends object = object, Body extends object = object>(
    declaration: Declaration<A, Path, Query, Body, Services>,
  ): Endpoint<Services> => {
    const item = declaration as unknown as Endpoint<Services>;
    if (item.costly !== true) return item;
    if (costly === undefined) throw new Error(`${item.id} is costly, and nothing gives it a turn`);
    return { ...item, handler: costly(item.handler) };
  };
}
