/** Settings of traces, by the standard names of OpenTelemetry; see docs/observability/traces.md. */
import Joi from 'joi';
import { type CheckedSettings, url } from './setting-kinds.js';

/** `parentbased_` makes no difference, because the only parents from outside are those of clients, and these decide nothing; see docs/observability/traces.md. */
const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);
/** Names and values as in a URL: `authorization=Bearer%20abc,x-team=messages`. */
const headerList = /^[^\s,=]+=[^\s,]*(,[^\s,=]+=[^\s,]*)*$/;

export const tracingSettings: Record<string, Joi.Schema> = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http://127.0.0.1:4318', 'http', 'https').description(
    'address of a collector for traces (OTLP over HTTP, protobuf), without /v1/traces; there are no traces when not set',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Joi.string()
    .pattern(headerList)
    .custom((text: string, helpers) => {
      try {
        return headersOf(text);
      } catch {
        return helpers.error('string.pattern.base');
      }
    })
    .messages({ 'string.pattern.base': '{{#label}} must be name=value, comma-separated, with values encoded as in URLs' })
    .description('headers for the collector, as name=value, comma-separated, with values encoded as in URLs'),
  OTEL_SERVICE_NAME: Joi.string().max(255).default('tidings').description('name of the service in its traces'),
  OTEL_TRACES_SAMPLER: Joi.string()
    .valid(...samplers)
    .default('parentbased_always_on')
    .description('which traces are recorded: always_on, always_off or traceidratio, each also with parentbased_ in front'),
  OTEL_TRACES_SAMPLER_ARG: Joi.number().min(0).max(1).default(1).description('share of traces that traceidratio records, from 0 to 1'),
};

/** `endpoint` undefined: there are no traces. `ratio`: the share of traces that is recorded, from 0 to 1. */
export interface TracingConfig {
  endpoint: string | undefined;
  headers: Record<string, string>;
  serviceName: string;
  ratio: number;
}

export const tracingConfigOf = (value: CheckedSettings): { tracing: TracingConfig } => ({
  tracing: {
    endpoint: value.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: value.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: value.OTEL_SERVICE_NAME,
    ratio: ratioOf(value.OTEL_TRACES_SAMPLER, value.OTEL_TRACES_SAMPLER_ARG),
  },
});

function ratioOf(sampler: string, share: number): number {
  if (sampler.endsWith('always_on')) return 1;
  return sampler.endsWith('always_off') ? 0 : share;
}

const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(',').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, decodeURIComponent(value.join('='))];
    }),
  );
