/** What an endpoint is: one declaration, from which the router, the OpenAPI document and the tests' cases are derived. */
import type { IncomingHttpHeaders } from 'node:http';
import type Joi from 'joi';
import type { Origin } from '../../models/rules/audit/origin.js';
import type { Scope } from '../../models/rules/accounts/api-key.js';
import type { BulkDeps, Deps } from '../deps.js';
import type { Caller } from './caller.js';
import type { Checked } from './validation.js';

/** Who may call. `provider`: the handler verifies a signature over the raw bytes. */
export type Auth = 'none' | 'jwt' | 'provider' | { readonly scope: Scope; readonly jwtToo: boolean };
/** An API key that carries the scope. */
export const apiKey = (scope: Scope) => ({ scope, jwtToo: false }) as const;
/** A JWT, or an API key that carries the scope. */
export const either = (scope: Scope) => ({ scope, jwtToo: true }) as const;

/** Limits that do not follow from the credential: see rate-limit.ts. */
export type OwnRate = 'auth' | 'bulk' | 'callback' | 'probe';

type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & ParamsOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : object;

/** What a handler gets: everything is checked, nothing is HTTP. */
export interface Input<A extends Auth, Path extends string, Query, Body> {
  caller: A extends 'none' | 'provider' ? null : Caller;
  params: ParamsOf<Path>;
  query: Query;
  body: Body;
  /** Of endpoints that declare `idempotent`; null when the client sent none. */
  idempotencyKey: string | null;
  /** Who asks, and from where: for what is written into the audit events. */
  origin: Origin;
  /** Of `provider` endpoints: what their signature covers. */
  signed: { url: string; headers: IncomingHttpHeaders; body: Buffer };
}

export interface Declaration<A extends Auth, Path extends string, Query extends object, Body extends object, Reached = Deps> {
  /** `resource.verb`; the operation id of the document. */
  id: string;
  method: 'get' | 'post' | 'put' | 'delete';
  path: Path;
  summary: string;
  auth: A;
  rate?: OwnRate;
  query?: Joi.ObjectSchema<Query>;
  body?: Joi.ObjectSchema<Body>;
  /**
   * Judges what comes before the body, so that nothing is read of a request that cannot be right.
   * @returns the largest body of this request in bytes; undefined: `bodyBytesMax`
   */
  admit?(head: { params: Record<string, string>; headers: IncomingHttpHeaders }, deps: Deps): number | undefined;
  /** A limit that counts a request with this body too. */
  alsoCounts?(body: Buffer): OwnRate | undefined;
  /** A scope that this body needs besides that of `auth`; judged before the body is. */
  alsoNeeds?(given: Record<string, unknown>): Scope | null;
  /** Goes on where the schema cannot see, or would hold up other requests: may add faults, and to the body what it found. */
  examine?(checked: Checked<Body>, deps: Reached): Promise<Checked<Body>>;
  /** Largest body in bytes; 100 kB unless given. */
  bodyBytesMax?: number;
  /** Messages are sent by it: not for a workspace that is suspended, or unverified where real carriers send. */
  sends?: boolean;
  /** Goes through the accept gate, which sheds what comes when the service is overloaded. */
  gated?: boolean;
  /** Takes an `Idempotency-Key`. */
  idempotent?: boolean;
  /** Statuses of refusals that do not follow from the rest of the declaration. */
  refusals?: readonly number[];
  /** Shape of `data`, or of the whole answer without an envelope. */
  response: Joi.Schema;
  status?: 200 | 201 | 202;
  /** The answer is a stream of lines, each one JSON value, of which `response` describes one. */
  streams?: true;
  /** There are callers who understand no answer: they get 204, without a body. */
  mayBeEmpty?: true;
  /** Another status whose answer has the same shape. */
  alsoAs?: 503;
  /** false: the answer is not wrapped in `{success, data}`. */
  envelope?: false;
  handler(input: Input<A, Path, Query, Body>, deps: Reached): Promise<object>;
}

export interface Endpoint extends Declaration<Auth, string, object, object> {
  /** Checked and handled in the thread of bulk sends, never in that of all others. */
  inBulkThread?: true;
}
/** One whose body may have thousands of parts: it is listed in `endpoints/bulk/bulk-endpoints.ts`, and its handler reaches less. */
export type BulkEndpoint = Declaration<Auth, string, object, object, BulkDeps>;

/** Declares an endpoint. The types of its handler's input come from its schemas and its path. */
export function endpoint<A extends Auth, Path extends string, Query extends object = object, Body extends object = object>(
  declaration: Declaration<A, Path, Query, Body>,
): Endpoint {
  return declaration as unknown as Endpoint;
}

/** The same for an operation whose body may have thousands of parts. */
export function bulkEndpoint<A extends Auth, Path extends string, Query extends object = object, Body extends object = object>(
  declaration: Declaration<A, Path, Query, Body, BulkDeps>,
): BulkEndpoint {
  return declaration as unknown as BulkEndpoint;
}
