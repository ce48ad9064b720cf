/** The stream of events, which connects again by itself (docs/contract/streams.md). */
import { CallbackFailure, runCallback } from './callback-failure.js';
import { reasonOf, TidingsError } from './errors.js';
import { assertNumbers, assertVisible } from './options.js';
import { isTooLong, orAborted, pause, pauseMs } from './retry.js';
import { type EventBlock, readBlocks, readLines, withinIdle } from './server-sent-events.js';
import type { Transport } from './transport.js';
import type { MessageEvent } from './types.js';

/** The position was too old: events may be missing, so read the lists again. */
export interface ResetEvent {
  event: 'stream.reset';
  timestamp: string;
  data: Record<string, never>;
}

/** An event with its position, and `raw`: the bytes that a webhook would get. */
export type StreamEvent = (MessageEvent | ResetEvent) & { id: string; raw: string };

export interface StreamOptions {
  /** `id` of the last event that was handled: the stream continues after it, for up to an hour. Default: from now on */
  lastEventId?: string;
  /** Ends the stream; the iterator throws the reason of the signal. */
  signal?: AbortSignal;
  /**
   * Further attempts to open the stream for the first time. It fails at once if `Retry-After` is above 65 seconds. Once it was open, it is opened
   * again until it ends, and waits as long as `Retry-After` says. Default: those of the client
   */
  retries?: number;
  /** Called each time the stream is open, before its events, which wait for a promise that it returns. What it throws ends the stream. */
  onOpen?: () => unknown;
}

/** The service writes at least every 15 seconds. */
const usualIdleMs = 45_000;

/**
 * @param idleMs after this number of milliseconds without a byte the connection counts as broken
 * @throws TidingsError when the service refuses the stream; OptionError for options that cannot work
 */
export async function* readStream(transport: Transport, options: StreamOptions, idleMs = usualIdleMs): AsyncGenerator<StreamEvent, void> {
  assertNumbers(options);
  const { signal } = options;
  const retries = options.retries ?? transport.retries;
  let lastEventId = options.lastEventId ?? '';
  if (lastEventId !== '') assertVisible('lastEventId', lastEventId);
  let wasOpen = false;
  let failures = 0;
  const onOpen = async () => {
    wasOpen = true;
    const called = runCallback(() => options.onOpen?.());
    await orAborted(called, signal);
  };
  for (;;) {
    let retryMs = 0;
    try {
      for await (const block of readConnection(transport, lastEventId, { signal, idleMs, onOpen })) {
        lastEventId = block.id ?? lastEventId;
        retryMs = block.retryMs ?? retryMs;
        if (block.data === undefined) continue;
        const event = JSON.parse(block.data) as MessageEvent;
        failures = 0; // not when it opens: an event that cannot be read would be fetched without growing pauses
        yield { ...event, id: lastEventId, raw: block.data };
      }
    } catch (error) {
      if (error instanceof CallbackFailure) throw error.reason;
      signal?.throwIfAborted();
      const failure = asFailure(error);
      if (!canReopen(failure, wasOpen) || (!wasOpen && (failures >= retries || isTooLong(failure)))) throw failure;
      retryMs = Math.max(retryMs, (failure.retryAfterSeconds ?? 0) * 1000);
      failures += 1;
    }
    await pause(Math.max(retryMs, pauseMs(Math.max(0, failures - 1), null)), signal);
  }
}

interface ConnectionOptions {
  signal: AbortSignal | undefined;
  idleMs: number;
  onOpen: () => Promise<void>;
}

/** The blocks of one connection, which is closed when the caller stops reading. */
async function* readConnection(
  transport: Transport,
  lastEventId: string,
  { signal, idleMs, onOpen }: ConnectionOptions,
): AsyncGenerator<EventBlock, void> {
  const ending = new AbortController();
  try {
    const headers = { Accept: 'text/event-stream', ...(lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId }) };
    const until = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
    const response = await withinIdle(transport.open('/stream', headers, until), idleMs);
    const body = bodyOf(response);
    await onOpen();
    yield* readBlocks(readLines(body, idleMs));
  } finally {
    ending.abort();
  }
}

/** A page of another service would end at once, without an event, and be opened again and again. */
function bodyOf({ status, headers, body }: Response): ReadableStream<Uint8Array> {
  if (body !== null && /^text\/event-stream\s*(;|$)/i.test(headers.get('content-type') ?? '')) return body;
  throw new TidingsError({ status, code: 'invalid_answer', message: 'The response is not a stream. Check baseUrl' });
}

const asFailure = (error: unknown): TidingsError =>
  error instanceof TidingsError
    ? error
    : new TidingsError({ status: 0, code: 'network_error', message: `The stream broke: ${reasonOf(error)}` }, { cause: error });

/** A connection that broke counts as open until the service notices, which can take minutes: then 409 says that there are too many. */
const canReopen = ({ status, code }: TidingsError, wasOpen: boolean) =>
  status === 0 || status === 429 || status >= 500 || (status === 409 && code === 'limit_reached' && wasOpen);
