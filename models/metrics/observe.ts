/**
 * What takes more than a line to count or measure. Everything else imports its metric from the catalogue and counts where it happens. Nothing here
 * queries anything. Only the functions that measure work (`observeConnect`, `observeAccept`) wait for it, and throw its errors.
 */
import { ConnectionAcquireTimeoutError } from 'sequelize';
import { AppError, type ErrorCode } from '../errors.js';
import { handoffUnknownCode } from '../rules/messages/error-codes.js';
import { dueTime } from '../rules/messages/schedule.js';
import { apiMetrics, processMetrics, workMetrics } from './catalogue.js';

/** The route of requests without an endpoint. Invented paths must not create series. */
export const unknownRoute = '(unknown)';

/** The status of a request that was aborted before its response began. No client gets it. */
export const abortedStatus = 499;

/** A request that is over. */
interface EndedRequest {
  method: string | undefined;
  /** The template of its path. */
  route: string;
  status: number;
  /** null for a stream, which takes as long as its client wants. */
  durationMs: number | null;
  /** It was refused to protect the service. */
  isShed: boolean;
}

/** Notes a request that is over. */
export function observeRequest({ method, route, status, durationMs, isShed }: EndedRequest): void {
  const operation = route === unknownRoute ? 'unknown' : `${method} ${route}`;
  const statusClass = status === abortedStatus ? 'aborted' : `${Math.floor(status / 100)}xx`;
  apiMetrics.requests.inc({ operation, status_class: statusClass });
  if (durationMs !== null) apiMetrics.requestSeconds.observe({ operation }, durationMs / 1000);
  if (isShed) apiMetrics.shed.inc({ operation });
}

/**
 * Measures a wait for a connection to PostgreSQL, and counts it if it fails. A server that refuses connections and a pool that stays full
 * break no statement in progress, so nothing else would show them.
 */
export async function observeConnect<Connection>(connect: () => Promise<Connection>): Promise<Connection> {
  const begun = performance.now();
  try {
    return await connect();
  } catch (error) {
    if (error instanceof Error) observeDatabaseError(error);
    throw error;
  } finally {
    processMetrics.poolWaitSeconds.observe((performance.now() - begun) / 1000);
  }
}

/** Measures the acceptance of one message. `work` returns null if the idempotency key is taken: then its caller knows the outcome. */
export async function observeAccept<Row>(channel: string, work: () => Promise<Row | null>): Promise<Row | null> {
  const begun = performance.now();
  let outcome: string | undefined = 'failed';
  try {
    const row = await work();
    outcome = row === null ? undefined : 'accepted';
    return row;
  } catch (error) {
    if (error instanceof AppError) outcome = refusals[error.code] ?? outcome;
    throw error;
  } finally {
    if (outcome !== undefined) apiMetrics.accepts.inc({ channel, outcome });
    apiMetrics.acceptSeconds.observe({ channel }, (performance.now() - begun) / 1000);
  }
}

const refusals: Partial<Record<ErrorCode, string>> = { insufficient_credits: 'refused', spend_limit: 'refused', unavailable: 'shed' };

interface EndedHandoff {
  result: { provider: string; outcome: string; error_code?: string };
  /** No call was made. */
  isUncalled: boolean;
}

/** Notes one call to a carrier, or a message that got none. */
export function observeHandoff(channel: string, { result, isUncalled }: EndedHandoff, begun: number): void {
  const { provider: account, error_code } = result;
  const outcome = error_code === handoffUnknownCode ? error_code : result.outcome;
  workMetrics.handoffs.inc({ channel, account, outcome });
  if (isUncalled || error_code === handoffUnknownCode) return;
  workMetrics.handoffSeconds.observe({ channel, account }, (performance.now() - begun) / 1000);
}

interface Moved {
  channel: string;
  created_at: Date;
  scheduled_at: Date | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  batch_id: string | null;
}

/**
 * Notes messages that reached a status. The time to the hand-off is measured for single messages only: those of a batch wait for their turn, at
 * the rate that its sender chose.
 */
export function observeMoves(status: string, messages: readonly Moved[]): void {
  for (const { channel, created_at, scheduled_at, sent_at, delivered_at, batch_id } of messages) {
    workMetrics.statuses.inc({ channel, status });
    const dueAt = dueTime({ created_at, scheduled_at }).getTime();
    const secondsTo = (at: Date) => Math.max(0, at.getTime() - dueAt) / 1000;
    if (status === 'sent' && sent_at !== null && batch_id === null) workMetrics.sentSeconds.observe({ channel }, secondsTo(sent_at));
    if (status === 'delivered' && delivered_at !== null) workMetrics.deliveredSeconds.observe({ channel }, secondsTo(delivered_at));
  }
}

/** Notes an attempt of a webhook, and passes it on. */
export function observeAttempt<Result extends { error: string | null; durationMs: number }>(isFirst: boolean, result: Result): Result {
  const first = String(isFirst);
  workMetrics.webhookAttempts.inc({ first, outcome: result.error ?? 'succeeded' });
  workMetrics.webhookSeconds.observe({ first }, result.durationMs / 1000);
  return result;
}

/** An answer that took longer does not show the time of the database's clock well enough. */
const roundTripMsMax = 1_000;

/**
 * Notes what the clock of the database showed.
 * @param begun, ended milliseconds since 1970 by the own clock: when it was asked, and when the answer had come
 */
export function observeClock(clock: Date, begun: number, ended: number): void {
  if (ended - begun > roundTripMsMax) return;
  const apart = (begun + ended) / 2 - clock.getTime();
  // Differences smaller than half the round trip are reported as 0.
  processMetrics.clockOffset.set(Math.abs(apart) <= (ended - begun) / 2 ? 0 : apart / 1000);
}

/**
 * Notes a statement that failed: by its SQLSTATE, because its connection broke or could not be opened, or because the pool had no free
 * connection in time.
 */
export function observeDatabaseError(error: Error): void {
  const { code, severity } = error as Error & { code?: string; severity?: string };
  const withoutAnswer = error instanceof ConnectionAcquireTimeoutError ? 'pool_timeout' : 'connection';
  const kind = severity === undefined ? withoutAnswer : (kinds[code ?? ''] ?? 'other');
  processMetrics.databaseErrors.inc({ kind });
}

const kinds: Record<string, string> = {
  '40P01': 'deadlock',
  '55P03': 'lock_timeout',
  '57014': 'statement_timeout',
  // The server ended the connection, because of an administrator or a crash.
  '57P01': 'connection',
  '57P02': 'connection',
};

/**
 * Creates the series with the value 0. `increase` ignores the first sample, so an alert would miss the first failure.
 * @param sends the operations of sends
 */
export function createFailureSeries(sends: readonly { method: string; path: string }[]): void {
  for (const { method, path } of sends) apiMetrics.requests.inc({ operation: `${method.toUpperCase()} ${path}`, status_class: '5xx' }, 0);
}

/** The same for a worker. @param routes channel → accounts */
export function createHandoffFailureSeries(routes: Readonly<Record<string, readonly { account: string }[]>>): void {
  for (const [channel, accounts] of Object.entries(routes)) {
    for (const outcome of ['reported', 'missing']) workMetrics.reportWaits.inc({ channel, outcome }, 0);
    for (const { account } of accounts) workMetrics.handoffs.inc({ channel, account, outcome: handoffUnknownCode }, 0);
  }
}
