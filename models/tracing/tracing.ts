/**
 * Traces of this thread. A span is recorded when it has ended, with one call. While no endpoint is set, nothing of OpenTelemetry is loaded,
 * and nothing is recorded.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from '../process/logger.js';
import type { TracingConfig } from '../settings/tracing-settings.js';
import type { EndedSpan, SpanSink } from './span.js';
import { isSampled, type SpanContext } from './trace-context.js';

let sink: SpanSink | undefined;
let ratio = 0;
const active = new AsyncLocalStorage<SpanContext>();

/**
 * Begins to record, if an endpoint is set.
 * @param part names the thread: `api`, `worker`, `batches`
 * @returns a function that ends it, and sends the last spans
 */
export async function startTracing({
  tracing,
  logger,
  part,
}: {
  tracing: TracingConfig;
  logger: Logger;
  part: string;
}): Promise<() => Promise<void>> {
  const { endpoint } = tracing;
  if (endpoint === undefined) return () => Promise.resolve();
  const { createSpanSink } = await import('./otlp.js');
  const created = createSpanSink({ ...tracing, endpoint }, part, logger);
  sink = created;
  ratio = tracing.ratio;
  return async () => {
    sink = undefined;
    await created.close();
  };
}

/** Whether there are traces at all. */
export const isTracing = (): boolean => sink !== undefined;

/** Whether the trace of this subject is recorded; see `isSampled`. */
export const isRecorded = (id: string): boolean => sink !== undefined && isSampled(id, ratio);

export const recordSpan = (span: EndedSpan): void => sink?.record(span);

/**
 * Runs the work within this span.
 * @param end records the span; gets the error if the work failed
 */
export async function withinSpan<Result>(
  context: SpanContext,
  work: () => Promise<Result>,
  end: (error?: unknown) => void,
): Promise<Result> {
  try {
    const result = await active.run(context, work);
    end();
    return result;
  } catch (error) {
    end(error);
    throw error;
  }
}

/** The span of the work that runs now. */
export const activeSpan = (): SpanContext | undefined => active.getStore();

/**
 * The place of a span about one message within the present work. In the trace of the work it is a part of the work. Otherwise it is a child
 * of the message's root and linked to the work.
 */
export function placeUnder(root: SpanContext): { parent: SpanContext; links: SpanContext[] } {
  const work = activeSpan();
  if (work?.traceId === root.traceId) return { parent: work, links: [] };
  return { parent: root, links: work === undefined ? [] : [work] };
}

/** Measures a span. */
export function stopwatch(): () => { begunAt: number; durationMs: number } {
  const begunAt = Date.now();
  const begun = performance.now();
  return () => ({ begunAt, durationMs: performance.now() - begun });
}
