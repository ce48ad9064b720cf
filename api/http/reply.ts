interface ReplyOptions {
  status?: number;
  headers?: Record<string, string>;
  /** The serialized response body. */
  json?: Uint8Array;
  /** Lines to stream as NDJSON instead of `data`. */
  lines?: AsyncIterable<object>;
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
