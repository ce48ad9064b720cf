/** A collector of traces: takes OTLP over HTTP in protobuf, and decodes it by the message types of the protocol (opentelemetry-proto 1.x). */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import protobuf from 'protobufjs';
import { until } from '../client.js';

/** The types that a collector needs. Numbers as in opentelemetry/proto/trace/v1/trace.proto. */
const proto = `
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9; repeated Link links = 13; Status status = 15;
  }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }`;
const requestType = protobuf.parse(proto, { keepCase: true }).root.lookupType('Request');

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** '' for a root. */
  parentId: string;
  name: string;
  /** Milliseconds since 1970. */
  begunAt: number;
  endedAt: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
  /** The attributes of its process. */
  resource: Record<string, unknown>;
}

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: CollectedSpan[];
  /** Headers of each request. */
  headers: IncomingMessage['headers'][];
  /** Requests from now on get no answer. */
  hangs: boolean;
  /** Waits until a trace has spans of these names, and returns all that it has. */
  trace(traceId: string, names: readonly string[]): Promise<CollectedSpan[]>;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const server = createServer((req, res) => {
    void buffer(req).then((body) => {
      if (collector.hangs) return;
      collector.headers.push(req.headers);
      const isRight = req.method === 'POST' && req.url === '/v1/traces' && req.headers['content-type'] === 'application/x-protobuf';
      if (isRight) collector.spans.push(...spansIn(body));
      res.writeHead(isRight ? 200 : 400, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    headers: [],
    hangs: false,
    async trace(traceId, names) {
      const found = () => collector.spans.filter((span) => span.traceId === traceId);
      const missing = () => names.filter((wanted) => !found().some(({ name }) => name === wanted));
      await until(() => missing().length === 0, `trace ${traceId} has ${names}`).catch((error: unknown) => {
        throw new Error(`${missing()} is missing`, { cause: error });
      });
      return found();
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return collector;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the shapes of the protocol, see above
type Decoded = any;

function spansIn(body: Buffer): CollectedSpan[] {
  const request: Decoded = requestType.toObject(requestType.decode(body), { longs: Number, arrays: true, defaults: true });
  return request.resource_spans.flatMap(({ resource, scope_spans }: Decoded) =>
    scope_spans.flatMap(({ spans }: Decoded) => spans.map((span: Decoded) => collected(span, attributesOf(resource.attributes)))),
  );
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const attributesOf = (pairs: Decoded[]) => Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

const collected = (span: Decoded, resource: CollectedSpan['resource']): CollectedSpan => ({
  traceId: hex(span.trace_id),
  spanId: hex(span.span_id),
  parentId: hex(span.parent_span_id),
  name: span.name,
  begunAt: span.start_time_unix_nano / 1e6,
  endedAt: span.end_time_unix_nano / 1e6,
  attributes: attributesOf(span.attributes),
  links: span.links.map((link: Decoded) => ({ traceId: hex(link.trace_id), spanId: hex(link.span_id) })),
  isError: span.status?.code === 2,
  resource,
});
