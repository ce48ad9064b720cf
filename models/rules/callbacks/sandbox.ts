/** The callback of the sandbox provider: signed like a carrier's, over a timestamp and the raw bytes. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import Joi from 'joi';
import { badSignature, invalid, invalidJson } from '../../errors.js';
import { reportOrder } from '../status.js';
import type { CallbackEvent, CallbackRequest, IncomingReport } from './callback.js';

export const sandboxProvider = 'sandbox';
/** A signature older than this is a replay. */
const replayWindowSeconds = 300;

/** One report as the sandbox posts it; several may share a body. */
export interface SandboxReport {
  id: string;
  reference: string;
  status: string;
  error_code: string | null;
  occurred_at: string;
}

/** Headers for a callback body. */
export function signSandboxCallback(secretKey: string, body: string, now = new Date()): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return { 'X-Sandbox-Timestamp': timestamp, 'X-Sandbox-Signature': signature(secretKey, timestamp, body) };
}

/**
 * Verifies a callback and reads its reports.
 * @throws AppError 403 for a signature that is absent, wrong or too old; 400 for a body that is not the sandbox's
 */
export function readSandboxCallback(secretKey: string, { headers, body, at }: Omit<CallbackRequest, 'url'>): CallbackEvent[] {
  const timestamp = String(headers['x-sandbox-timestamp'] ?? '');
  const given = Buffer.from(String(headers['x-sandbox-signature'] ?? ''));
  const expected = Buffer.from(signature(secretKey, timestamp, body));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw badSignature();
  // Said this way round, a timestamp that is no number is refused too.
  if (!(Math.abs(at.getTime() / 1000 - Number(timestamp)) <= replayWindowSeconds)) throw badSignature();
  return parse(body).map((report) => ({
    kind: 'report',
    provider: sandboxProvider,
    provider_message_id: report.id,
    status: report.status as IncomingReport['status'],
    message_id: report.reference,
    error_code: report.error_code,
    is_permanent: report.error_code === '30006' || report.error_code === '30008',
    provider_error_code: report.error_code,
    occurred_at: new Date(report.occurred_at),
    raw: JSON.stringify(report),
  }));
}

function signature(secretKey: string, timestamp: string, body: string | Buffer): string {
  return createHmac('sha256', `sandbox-callback:${secretKey}`).update(`${timestamp}.`).update(body).digest('hex');
}

const schema = Joi.object<{ reports: SandboxReport[] }>({
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
    .max(1000)
    .required(),
});

function parse(body: Buffer): SandboxReport[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw invalidJson();
  }
  const { value, error } = schema.validate(parsed);
  if (error !== undefined) throw invalid([{ field: 'reports', message: 'Malformed report' }]);
  return value.reports;
}
