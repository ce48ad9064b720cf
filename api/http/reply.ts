interface ReplyOptions {
  status?: number;
  headers?: Record<string, string>;
  /** The serialized response body. */
  json?: Uint8Array;
  /** Lines to stream as NDJSON instead of `data`. */
  lines?: AsyncIterable<object>;
}

/** The result of a handler that sets more than data, for example a status or headers. */
export class Reply {
  constructor(
    readonly data: object,
    readonly options: ReplyOptions = {},
  ) {}
}
