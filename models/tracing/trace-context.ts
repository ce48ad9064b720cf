/** Places in traces, by W3C Trace Context (https://www.w3.org/TR/trace-context/). Pure functions: every process computes the same. */
import { randomBytes } from 'node:crypto';

/** A span and its trace: 32 and 16 lower-case hexadecimal digits. */
export interface SpanContext {
  traceId: string;
  spanId: string;
}

/** Where the trace of a subject begins. */
export interface TraceStart {
  root: SpanContext;
  /** The span of the client that asked for it: the parent of the root. */
  client: SpanContext | undefined;
}

/** Version 00. Longer values of later versions begin the same way; `ff` is forbidden. */
const traceparent = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const lengthMax = 512;

/**
 * Reads the header `traceparent` of a client.
 * @returns it in version 00, of 55 characters; null if there is none that is valid
 */
export function readTraceparent(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string' || header.length > lengthMax) return null;
  const [, version, traceId, spanId, flags = '', rest] = traceparent.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && rest !== undefined)) return null;
  return formatTraceparent({ traceId, spanId }, (Number.parseInt(flags, 16) & 1) === 1);
}

/** The value of `traceparent` for whoever is called next. */
export const formatTraceparent = ({ traceId, spanId }: SpanContext, isSampled = true): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** The span of a `traceparent` in version 00. */
export const spanOf = (value: string): SpanContext => ({ traceId: value.slice(3, 35), spanId: value.slice(36, 52) });

/**
 * The root of the trace of a message, or of another subject with a UUID. The ids follow from the UUID, so nothing of a trace has to be stored
 * or passed on, apart from the `traceparent` of a client, which its trace continues.
 */
export function traceStart(id: string, given: string | null = null): TraceStart {
  const digits = id.replaceAll('-', '');
  const client = given === null ? undefined : spanOf(given);
  return { root: { traceId: client?.traceId ?? digits, spanId: digits.slice(16) }, client };
}

/** A new span of the same trace. */
export const newSpanIn = ({ traceId }: SpanContext): SpanContext => ({ traceId, spanId: randomBytes(8).toString('hex') });

/** The end of a UUIDv7 that is random also for ids of the same millisecond. */
const randomBits = 40;

/**
 * Whether the trace of a subject is recorded. Decided by the random end of its UUID, which we chose: a client can neither force nor prevent it.
 * @param ratio the share of traces to record, from 0 to 1
 */
export const isSampled = (id: string, ratio: number): boolean => Number.parseInt(id.slice(-randomBits / 4), 16) < ratio * 2 ** randomBits;
