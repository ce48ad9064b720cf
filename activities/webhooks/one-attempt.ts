/** One attempt of a delivery: what is sent, and the effects of the outcome on the delivery and its endpoint. */
import { observeAttempt } from '../../models/metrics/observe.js';
import type { SendableDelivery } from '../../models/operations/deliveries/due-deliveries.js';
import type { HealthNote } from '../../models/operations/deliveries/note-health.js';
import type { Attempt, DeliveryOutcome } from '../../models/operations/deliveries/record-attempt.js';
import type { Decrypter } from '../../models/rules/values/encryption.js';
import type { ReplayClaim } from '../../models/operations/replays/claim-replayed.js';
import { testEventType } from '../../models/rules/webhooks/events.js';
import { parseRetryAfter, retryDelaySeconds } from '../../models/rules/webhooks/retry.js';
import { deliveryHeaders, type SignedDelivery } from '../../models/rules/webhooks/signed-headers.js';
import type { Trigger } from '../../models/tables/delivery.js';
import { secretContext, signingKeyContext } from '../../models/tables/webhook.js';
import { Tracer } from './post-trace.js';
import { traceAttempt } from './trace-attempt.js';
import type { PostResult, WebhookPoster } from './post-webhook.js';

/**
 * Signs and sends a delivery. If its secret cannot be decrypted (it was encrypted with another SECRET_KEY), nothing is sent and the attempt
 * fails. Other deliveries are not affected.
 */
export async function attemptOnce(
  poster: WebhookPoster,
  decryptSecret: Decrypter,
  delivery: SendableDelivery,
  { trigger }: Pick<AttemptOptions, 'trigger'>,
): Promise<PostResult> {
  const keys = readKeys(decryptSecret, delivery);
  if (keys === null) return nothingSent();
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const headers = deliveryHeaders({ id: delivery.event_id, type: delivery.event, body: delivery.body, ...keys, timestampSeconds });
  const trace = traceAttempt(delivery);
  const result = await poster.post(delivery.url, { ...headers, ...trace.headers }, delivery.body, delivery.workspace_id);
  trace.end(result);
  const isFirst = trigger === 'scheduled' && delivery.event !== testEventType && delivery.ladder_step === 0;
  return observeAttempt(isFirst, result);
}

function readKeys(decryptSecret: Decrypter, delivery: SendableDelivery): Pick<SignedDelivery, 'secrets' | 'signingKeys'> | null {
  const { webhook_id, secret, old_secret, old_secret_until, signing_key, old_signing_key } = delivery;
  const isOverlapping = old_secret_until !== null && old_secret_until > new Date();
  const open = (context: string, present: Buffer | null, old: Buffer | null) =>
    [present, isOverlapping ? old : null].flatMap((sealed) => (sealed === null ? [] : decryptSecret(context, sealed)));
  try {
    return {
      secrets: open(secretContext(webhook_id), secret, old_secret),
      signingKeys: open(signingKeyContext(webhook_id), signing_key, old_signing_key),
    };
  } catch {
    return null;
  }
}

const nothingSent = (): PostResult => ({
  at: new Date(),
  durationMs: 0,
  ...new Tracer().trace(),
  responseStatus: null,
  responseBody: null,
  retryAfter: undefined,
  error: 'undecryptable_secret',
});

const gone = 'The endpoint returned 410 Gone';

/** How an attempt is logged, and whether the retry schedule continues after a failure. */
export interface AttemptOptions {
  trigger: Trigger;
  followsSchedule: boolean;
  isProbe?: boolean;
  /** Set for the attempts of a replay, which claims each delivery just before its attempt. */
  replay?: { id: string; claim: (deliveryId: string) => Promise<ReplayClaim> };
}

/** What follows from the result of an attempt: how it is logged, the next step of its delivery, and what it says of the endpoint. */
export function consequenceOf(
  result: PostResult,
  delivery: SendableDelivery,
  { trigger: requested, followsSchedule, isProbe = false }: AttemptOptions,
  usualDelays: readonly number[],
): Pick<Attempt, 'trigger' | 'next' | 'health'> & { isScheduled: boolean } {
  const isTest = delivery.event === testEventType;
  const trigger = isTest && followsSchedule ? 'test' : requested;
  const isScheduled = trigger === 'scheduled';
  const delays = isTest ? [] : (delivery.retry_delays ?? usualDelays);
  const next = followsSchedule ? nextStep(result, delivery, delays) : lastStep(result);
  const isHeeded = isScheduled || result.error === null || requestsDelay(result);
  const health = isHeeded ? healthNote(result, delivery, { isProbe, delays, isScheduled }) : undefined;
  return { trigger, next, isScheduled, ...(health === undefined ? {} : { health }) };
}

/** The next step of an attempt outside the retry schedule. */
function lastStep({ error, responseStatus }: PostResult): DeliveryOutcome {
  if (error === null) return { status: 'succeeded' };
  return responseStatus === 410 ? { status: 'unchanged', disableWebhook: gone } : { status: 'unchanged' };
}

/** The next step of the retry schedule: the next delay, or the end when it is used up or cannot help. */
function nextStep(result: PostResult, { ladder_step }: SendableDelivery, delays: readonly number[]): DeliveryOutcome {
  const { error, responseStatus, isBlockedUrl } = result;
  if (error === null) return { status: 'succeeded' };
  if (isBlockedUrl === true) return { status: 'failed' };
  if (responseStatus === 410) return { status: 'failed', disableWebhook: gone };
  const seconds = retryDelaySeconds(delays, ladder_step + 1, retryAfterSecondsOf(result));
  return seconds === null ? { status: 'failed' } : { status: 'pending', inSeconds: seconds };
}

/**
 * What an attempt changes in the health of its endpoint: a scheduled one, one that was acknowledged, or one whose answer asks to wait.
 * Undefined if nothing, or if the fault is ours.
 */
function healthNote(
  result: PostResult,
  { webhook_id, ladder_step, failing_since, resume_at }: SendableDelivery,
  { isProbe, delays, isScheduled }: Pick<HealthNote, 'isProbe' | 'delays'> & { isScheduled: boolean },
): HealthNote | undefined {
  const succeeded = result.error === null;
  const isNews = succeeded ? failing_since !== null || resume_at !== null : result.error !== 'undecryptable_secret';
  if (!isNews) return undefined;
  const isFirst = isScheduled && ladder_step === 0;
  return { webhookId: webhook_id, succeeded, isScheduled, isFirst, isProbe, retryAfterSeconds: retryAfterSecondsOf(result), delays };
}

/** The receiver is too busy for this attempt and for those that would follow. */
export const requestsDelay = (result: PostResult): boolean => result.error !== null && (retryAfterSecondsOf(result) ?? 0) > 0;

const retryAfterSecondsOf = ({ retryAfter, at }: PostResult) => parseRetryAfter(retryAfter, at);
