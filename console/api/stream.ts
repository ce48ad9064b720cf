/**
 * The stream of events, one connection for all screens (docs/contract/streams.md). It is open while a screen listens and the page is visible:
 * browsers allow few connections to a server, and a hidden page would hold one of them.
 *
 * It has everything that becomes visible after its beginning. So a screen reads once if it reads after that, and twice if it has read before.
 */
import { batch, signal } from '@preact/signals';
import { isPortal, urlOf } from './base.js';
import { call, type Schema } from './call.js';

/** An event of a message, as webhooks get it. */
export type MessageEvent =
  | Schema<'MessageQueuedEvent'>
  | Schema<'MessageSentEvent'>
  | Schema<'MessageDeliveredEvent'>
  | Schema<'MessageFailedEvent'>;

export interface StreamListener {
  event(event: MessageEvent): void;
  /** Events may be missing: read again what is shown. */
  reset(): void;
}

/** `off`: nobody listens. `refused`: the API gave no stream; it is asked again later. */
export const streamState = signal<'off' | 'connecting' | 'live' | 'refused'>('off');

/** An `EventSource` needs a listener for each name. The compiler names one that is missing. */
const types = Object.keys({
  'message.queued': true,
  'message.sent': true,
  'message.delivered': true,
  'message.failed': true,
} satisfies Record<MessageEvent['event'], true>);
const unusedMsMax = 30_000;
/** A read waits no longer than this for the stream, which a proxy may hold back. */
const openMsMax = 500;
const handOverMsMax = 100;
const retryMs = { first: 5_000, max: 60_000 };
const tickMs = 10_000;
/** Ticks that are this far apart show that the machine slept. */
const lateMs = 45_000;

const listeners = new Set<StreamListener>();
let source: EventSource | null = null;
let lastId = '';
/** The events that are not handed over yet. */
let received: MessageEvent[] = [];
let stopWaiting: () => void = () => undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let waitMs = retryMs.first;
let tickedAt = Date.now();
/** A screen that listens is about to be shown. */
let isExpected = false;
let whenBegun: Promise<void> = Promise.resolve();
let begun: () => void = () => undefined;

/** Adds a listener. The portal has no stream. @returns a function that removes it */
export function listen(listener: StreamListener): () => void {
  if (isPortal) return () => undefined;
  listeners.add(listener);
  if (streamState.value !== 'refused') open();
  return () => {
    listeners.delete(listener);
    // The next screen usually listens at once.
    setTimeout(() => listeners.size === 0 && close(), 1_000);
  };
}

/** Opens the stream for a screen that is being loaded. */
export function expectListener(): void {
  isExpected = true;
  open();
  setTimeout(() => {
    isExpected = false;
    if (listeners.size === 0) close();
  }, unusedMsMax);
}

/** Waits until a read misses nothing that will not be in the stream, and not where there is no stream. */
export async function streamBegun(): Promise<void> {
  // A screen may begin to read a moment before it listens.
  await Promise.resolve();
  await whenBegun;
}

/** Ends the connection, and forgets how far it was: for another workspace. */
export function resetStream(): void {
  close();
  isExpected = false;
  lastId = '';
  stopWaiting();
  received = [];
}

function open(): void {
  if (source !== null || document.hidden) return;
  clearTimeout(timer);
  // The next screen that listens opens it.
  if (listeners.size === 0 && !isExpected) return void (streamState.value = 'off');
  // A stream that was refused stays so until it is open: it is announced once.
  if (streamState.value !== 'refused') streamState.value = 'connecting';
  const url = urlOf('/api/v1/stream');
  if (lastId === '') {
    whenBegun = new Promise((resolve) => (begun = resolve));
    setTimeout(begun, openMsMax);
  } else url.searchParams.set('last_event_id', lastId);
  const opened = new EventSource(url);
  source = opened;
  opened.addEventListener('open', () => {
    streamState.value = 'live';
    waitMs = retryMs.first;
    // What happened between a read of the screen and this moment is in no event.
    if (lastId === '') reset();
    begun();
  });
  for (const type of types) opened.addEventListener(type, receive);
  opened.addEventListener('stream.reset', reset);
  opened.addEventListener('error', () => {
    streamState.value = 'connecting';
    if (opened.readyState === EventSource.CLOSED) refused();
  });
}

function reset(): void {
  for (const listener of listeners) listener.reset();
}

function receive(message: globalThis.MessageEvent<string>): void {
  lastId = message.lastEventId;
  received.push(JSON.parse(message.data) as MessageEvent);
  if (received.length > 1) return;
  const frame = requestAnimationFrame(handOver);
  // A hidden page has no frames.
  const withoutFrame = setTimeout(handOver, handOverMsMax);
  stopWaiting = () => {
    cancelAnimationFrame(frame);
    clearTimeout(withoutFrame);
  };
}

/** A large batch has thousands of events. Those that came since the last frame are drawn together. */
function handOver(): void {
  stopWaiting();
  const events = received;
  received = [];
  batch(() => {
    for (const event of events) for (const listener of listeners) listener.event(event);
  });
}

/** The browser gives no reason. A read finds out whether the session has ended. */
function refused(): void {
  close();
  streamState.value = 'refused';
  // An id that is no longer known would be refused again. What was missed is read.
  lastId = '';
  timer = setTimeout(open, waitMs);
  waitMs = Math.min(waitMs * 2, retryMs.max);
  void call('get', '/api/v1/balance').catch(() => undefined);
}

function close(): void {
  clearTimeout(timer);
  source?.close();
  source = null;
  begun();
  streamState.value = 'off';
}

/**
 * Connects again after the last event. A connection may have died without a word while the machine had no network or slept, and an `EventSource`
 * waits for it for ever: it shows no script the lines that keep it open.
 */
function reopen(): void {
  if (source === null) return;
  close();
  open();
}

window.addEventListener('online', reopen);
setInterval(() => {
  const isLate = Date.now() - tickedAt > lateMs;
  tickedAt = Date.now();
  if (isLate) reopen();
}, tickMs);
document.addEventListener('visibilitychange', () => {
  tickedAt = Date.now(); // the ticks of a hidden page are rare
  clearTimeout(timer);
  if (document.hidden) timer = setTimeout(close, unusedMsMax);
  else open();
});
