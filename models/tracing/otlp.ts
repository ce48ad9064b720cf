/** Sends spans to a collector, by OTLP over HTTP. The only file that imports OpenTelemetry; loaded when an endpoint is set. */
import { hostname } from 'node:os';
import { type Link, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type IdGenerator, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from '../process/logger.js';
import type { TracingConfig } from '../settings/tracing-settings.js';
import type { SpanSink } from './span.js';
import type { SpanContext } from './trace-context.js';

/** Spans that wait are dropped beyond this number: about 4 MB. */
const queueMax = 2_048;
const batchMax = 512;
const delayMs = 1_000;
/** With repetitions. */
const exportMsMax = 3_000;
/** Exports at once. With a collector that hangs, each holds a batch. At the end the rest of the queue is sent at once. */
const exportsAtOnce = 1 + queueMax / batchMax;
/** The longest time that a process waits for its last spans when it ends. */
const closeMsMax = 2_000;
/** As many as a full group has messages. */
const linksMax = 100;
const textMax = 256;

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

export type Collector = TracingConfig & { endpoint: string };

/** @param part the thread, see `startTracing` */
export function createSpanSink(collector: Collector, part: string, logger: Logger): SpanSink {
  const ids = new GivenIds();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': collector.serviceName,
      'service.instance.id': `${hostname()}:${process.pid}:${part}`,
      'process.part': part,
    }),
    sampler: new AlwaysOnSampler(), // unsampled spans do not come this far
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: textMax, linkCountLimit: linksMax },
    spanProcessors: [createProcessor(collector, logger)],
  });
  const tracer = provider.getTracer('tidings');
  return {
    record({ name, kind, context, parent, links = [], attributes, begunAt, durationMs, error }) {
      ids.next = context;
      const options = { kind: kinds[kind], startTime: begunAt, attributes, links: links.map(linkTo) };
      const span = tracer.startSpan(name, options, parent === undefined ? ROOT_CONTEXT : contextOf(parent));
      if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
      span.end(begunAt + durationMs);
    },
    close: () => {
      const closed = provider.shutdown().catch((err: unknown) => logger.warn({ err }, 'the last spans could not be sent'));
      return Promise.race([closed, new Promise<void>((resolve) => setTimeout(resolve, closeMsMax).unref())]);
    },
  };
}

/** Gathers spans and sends them to the collector. */
function createProcessor({ endpoint, headers }: Collector, logger: Logger): BatchSpanProcessor {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers,
    timeoutMillis: exportMsMax,
    concurrencyLimit: exportsAtOnce,
  });
  return new BatchSpanProcessor({
    exporter: watched(exporter, logger),
    maxQueueSize: queueMax,
    maxExportBatchSize: batchMax,
    scheduledDelayMillis: delayMs,
    exportTimeoutMillis: exportMsMax,
  });
}

/** Spans have ids that were chosen before. */
class GivenIds implements IdGenerator {
  next: SpanContext = { traceId: '', spanId: '' };
  generateTraceId = () => this.next.traceId;
  generateSpanId = () => this.next.spanId;
}

const sampled = (span: SpanContext) => ({ ...span, traceFlags: TraceFlags.SAMPLED });
const linkTo = (span: SpanContext): Link => ({ context: sampled(span) });
const contextOf = (span: SpanContext) => trace.setSpanContext(ROOT_CONTEXT, { ...sampled(span), isRemote: true });

/** Logs when the collector fails and when it works again. Otherwise nobody would notice that spans are lost. */
function watched(exporter: SpanExporter, logger: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !isFailing) logger.warn({ err: result.error }, 'the collector takes no spans; they are dropped until it does');
        if (!failed && isFailing) logger.info('the collector takes spans again');
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
