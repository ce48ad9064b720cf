import type { Writable } from 'node:stream';
import type { ReaderPlace } from '../../models/flow/reader-places.js';

/** Writes to an open response, until one side ends it. */
export interface Feed {
  begin(out: Writable): void;
  /** The client is gone, or wants no body. May be called more than once. */
  end(): void;
}

/** Lines that are written as fast as the client reads them. */
export interface Lines {
  of: AsyncIterable<object>;
  /** Where the reading of the client is noted. It is left when the lines have ended, also if the client is gone or wants none. */
  place: ReaderPlace;
}

/** `json` is serialized, with its envelope. */
export type JsonBody = { data: object } | { json: Uint8Array };

/** `lines` are streamed as NDJSON, `events` as server-sent events. */
export type ReplyBody = JsonBody | { lines: Lines } | { events: Feed };

export interface ReplyOptions {
  status?: number;
  headers?: Record<string, string>;
}

/** A Buffer on the memory of these bytes: `Buffer.from(bytes)` would copy what may be megabytes. */
export const bufferOn = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** The result of a handler that sets more than data, for example a status or headers. */
export class Reply {
  constructor(
    readonly body: ReplyBody,
    readonly options: ReplyOptions = {},
  ) {}
}

/** The data of a reply that is not streamed. */
export function dataIn({ body }: Reply): object {
  if ('data' in body) return body.data;
  if (!('json' in body)) throw new Error('a stream has no data');
  return (JSON.parse(bufferOn(body.json).toString()) as { data: object }).data;
}

/** The response to a request with an idempotency key. @param isReplay it repeats the response of an earlier request with the same key */
export const idempotentReply = (data: object, isReplay: boolean): Reply =>
  new Reply({ data }, isReplay ? { headers: { 'Idempotent-Replayed': 'true' } } : {});
