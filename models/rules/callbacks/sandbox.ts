/** The callback of the sandbox provider. It has a signature over a timestamp and the raw bytes, like those of real providers. */
import { createHmac } from 'node:crypto';
import Joi from 'joi';
import { type Channel, channels } from '../../channels.js';
import { invalidCallbackSignature, malformedReport } from '../../errors.js';
import { isSameSecret } from '../values/same-secret.js';
import { type ReportStatus, reportOrder } from '../messages/status.js';
import type { CallbackEvent, CallbackRequest } from './callback.js';
import { headerOf, isWithin, parseJson } from './json-body.js';

export const sandboxProvider = 'sandbox';
/** The sandbox account. It always accepts reports, also for messages sent before another provider was configured. */
export const sandboxAccount = { name: sandboxProvider, kind: 'sandbox' } as const;
/** A signature older than this is a replay. */
const replayWindowSeconds = 300;

/** One report, as the sandbox posts it. A body may contain several. */
export interface SandboxReport {
  id: string;
  reference: string;
  status: ReportStatus;
  error_code: string | null;
  occurred_at: string;
}

/** A message from a person to a sender of the sandbox. */
interface SandboxInbound {
  id: string;
  channel: Channel;
  from: string;
  to: string;
  text: string;
  occurred_at: string;
}

interface SandboxBody {
  reports: SandboxReport[];
  inbound: SandboxInbound[];
}

/** Headers for a callback body. */
export function signSandboxCallback(secretKey: string, body: string, now = new Date()): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return { 'X-Sandbox-Timestamp': timestamp, 'X-Sandbox-Signature': signature(secretKey, timestamp, body) };
}

/**
 * Verifies a callback and reads its reports.
 * @param secretKeys the present key, then the earlier ones: a worker that has not been restarted signs with one of these
 * @throws AppError forbidden if the signature is absent, wrong or too old; validation_failed if the body is not in the sandbox's format
 */
export function readSandboxCallback(secretKeys: readonly string[], { headers, body, at }: Omit<CallbackRequest, 'url'>): CallbackEvent[] {
  const timestamp = headerOf(headers, 'x-sandbox-timestamp');
  const given = headerOf(headers, 'x-sandbox-signature');
  if (!secretKeys.some((secretKey) => isSameSecret(given, signature(secretKey, timestamp, body)))) throw invalidCallbackSignature();
  if (!isWithin(replayWindowSeconds, timestamp, at)) throw invalidCallbackSignature();
  const { reports, inbound } = parse(body);
  return [...reports.map(reportOf), ...inbound.map(inboundOf)];
}

const inboundOf = ({ id, occurred_at, ...message }: SandboxInbound): CallbackEvent => ({
  kind: 'inbound',
  provider: sandboxProvider,
  provider_message_id: id,
  ...message,
  occurred_at: new Date(occurred_at),
  raw: JSON.stringify({ id, ...message, occurred_at }),
});

function reportOf(report: SandboxReport): CallbackEvent {
  return {
    kind: 'report',
    provider: sandboxProvider,
    provider_message_id: report.id,
    status: report.status,
    message_id: report.reference,
    error_code: report.error_code,
    is_permanent: false, // a sandbox recipient has the same result each time
    provider_error_code: report.error_code,
    occurred_at: new Date(report.occurred_at),
    raw: JSON.stringify(report),
  };
}

function signature(secretKey: string, timestamp: string, body: string | Buffer): string {
  return createHmac('sha256', `sandbox-callback:${secretKey}`).update(`${timestamp}.`).update(body).digest('hex');
}

const schema = Joi.object<Partial<SandboxBody>>({
  reports: Joi.array()
    .items({
      id: Joi.string().uuid().required(),
      reference: Joi.string().uuid().required(),
      status: Joi.string()
        .valid(...reportOrder)
        .required(),
      error_code: Joi.string().allow(null).required(),
      occurred_at: Joi.string().isoDate().required(),
    })
    .max(1000),
  inbound: Joi.array()
    .items({
      id: Joi.string().uuid().required(),
      channel: Joi.string()
        .valid(...channels)
        .required(),
      from: Joi.string().required(),
      to: Joi.string().required(),
      text: Joi.string().allow('').required(),
      occurred_at: Joi.string().isoDate().required(),
    })
    .max(1000),
}).or('reports', 'inbound');

function parse(body: Buffer): SandboxBody {
  const { value, error } = schema.validate(parseJson(body));
  if (error !== undefined) throw malformedReport('reports');
  return { reports: value.reports ?? [], inbound: value.inbound ?? [] };
}
