interface ReplyOptions {
  status?: number;
  headers?: Record<string, string>;
  /** The whole answer, written already. */
  json?: Uint8Array;
  /** A stream of lines instead. */
  lines?: AsyncIterable<object>;
}

/** A handler's answer that needs more than data. */
export class Reply {
  constructor(
    readonly data: object,
    readonly options: ReplyOptions = {},
  ) {}
}
