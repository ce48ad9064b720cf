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

interface ReplyOptions {
  status?: number;
  headers?: Record<string, string>;
  /** The serialized response body. */
  json?: Uint8Array;
  /** Lines to stream as NDJSON instead of `data`. */
  lines?: Lines;
  /** Server-sent events instead of `data`. */
  events?: Feed;
}

/** A Buffer on the memory of these bytes: `Buffer.from(bytes)` would copy what may be megabytes. */
export const bufferOn = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** The result of a handler that sets more than data, for example a status or headers. */
export class Reply {
  constructor(
    readonly data: object,
    readonly options: ReplyOptions = {},
  ) {}
}

/** The response to a request with an idempotency key. @param isReplay it repeats the response of an earlier request with the same key */
export const idempotentReply = (data: object, isReplay: boolean): Reply =>
  new Reply(data, isReplay ? { headers: { 'Idempotent-Replayed': 'true' } } : {});
