import type { SpanContext } from './trace-context.js';

/** As in OpenTelemetry. */
type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** A span that has ended. */
export interface EndedSpan {
  name: string;
  kind: SpanKind;
  context: SpanContext;
  /** Of the same trace. */
  parent?: SpanContext | undefined;
  /** Spans of other traces. */
  links?: readonly SpanContext[];
  /** No recipients, texts, addresses with tokens, or error messages. */
  attributes: Readonly<Record<string, string | number | undefined>>;
  /** Milliseconds since 1970. */
  begunAt: number;
  durationMs: number;
  /** A short word for the fault, if the work failed. */
  error?: string | undefined;
}

/** What sends spans to the collector. */
export interface SpanSink {
  /** Does not throw or wait. Drops the span when too many wait already. */
  record(span: EndedSpan): void;
  /** Sends what waits, for a few seconds at most. */
  close(): Promise<void>;
}
