/**
 * A typed client over what `openapi-typescript` makes of /openapi.json, as a client author would write it.
 * test/api/client/client-types.test.ts compiles it, and runs it against the service.
 */
import type { operations, paths } from './tidings.js';

type Method = 'get' | 'post' | 'put' | 'delete';
type PathOf<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, operations[keyof operations]> ? P : never }[keyof paths];
type OperationOf<M extends Method, P extends keyof paths> = paths[P] extends Record<M, infer Operation> ? Operation : never;

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Body<T> = T extends { requestBody: infer Request } ? { body: Json<Request> } : object;
/** What the operation takes beside the body; what an operation does not take is `never` or absent. */
type Parameters<T> = T extends { parameters: infer Given } ? Pick<Given, keyof Given & ('path' | 'query' | 'header')> : never;
type Data<T> = T extends { responses: infer Responses }
  ? Exclude<Json<Responses[keyof Responses & (200 | 201)]>, undefined>['data' & keyof Json<Responses[keyof Responses & (200 | 201)]>]
  : never;

export type Request<M extends Method, P extends PathOf<M>> = Parameters<OperationOf<M, P>> & Body<OperationOf<M, P>>;
export type Answer<M extends Method, P extends PathOf<M>> = Data<OperationOf<M, P>>;

/** Whose credential is sent. */
export interface Credential {
  apiKey?: string;
  token?: string;
}

/** What a request looks like once its types are checked. */
interface AnyRequest {
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  header?: Record<string, string>;
  body?: object;
}

export function createClient(baseUrl: string, { apiKey, token }: Credential) {
  return async <M extends Method, P extends PathOf<M>>(method: M, path: P, request: Request<M, P>): Promise<Answer<M, P>> => {
    const { path: ids = {}, query = {}, header = {}, body } = request as AnyRequest;
    const url = new URL(baseUrl + String(path).replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? '')));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers: {
        ...(apiKey === undefined ? {} : { 'X-API-Key': apiKey }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...header,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { success: true; data: Answer<M, P> } | { success: false; code: string; error: string };
    if (!answer.success) throw new Error(`${answer.code}: ${answer.error}`);
    return answer.data;
  };
}
