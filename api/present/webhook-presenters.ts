/** The public shape of webhooks, deliveries and replays. Fields are listed one by one, as in `presenters.ts`. */
import type { Delivery } from '../../models/tables/delivery.js';
import type { ReplayRange } from '../../models/operations/replays/replay-deliveries.js';
import type { Replay } from '../../models/tables/replay.js';
import type { Webhook } from '../../models/tables/webhook.js';
import { iso } from './presenters.js';

/** The fields in the response to a creation. */
export const presentNewWebhook = (row: Webhook) => ({
  id: row.id,
  url: row.url,
  events: row.events,
  is_active: row.is_active,
  created_at: iso(row.created_at),
});

/** The current public key (`whpk_…`); null if the webhook is not asymmetric. */
export const presentAsymmetric = ({ public_key }: Pick<Webhook, 'public_key'>) => ({ asymmetric: public_key !== null, public_key });

/** The public keys that verify current signatures. During a rotation this includes the previous one. */
export function presentPublicKeys({ public_key, old_public_key, old_secret_until: until }: Webhook) {
  const isOverlapping = old_public_key !== null && until !== null && until > new Date();
  return { public_key, previous: isOverlapping ? { public_key: old_public_key, until: iso(until) } : null };
}

export const presentWebhook = (row: Webhook) => ({
  ...presentNewWebhook(row),
  description: row.description,
  retry_delays: row.retry_delays ?? null,
  rate: row.rate ?? null,
  ordered: row.ordered,
  ...presentAsymmetric(row),
  frame_ancestors: row.frame_ancestors ?? [],
  updated_at: iso(row.updated_at),
  disabled_reason: row.disabled_reason ?? null,
  failing_since: iso(row.failing_since),
});

export const presentDelivery = (row: Delivery, webhook: Webhook) => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event: row.event,
  message_id: row.message_id,
  status: row.statusWith(webhook),
  attempts: (row.attempts ?? []).map((attempt) => ({
    number: attempt.number,
    at: iso(attempt.at),
    trigger: attempt.trigger,
    response_status: attempt.response_status,
    error: attempt.error,
    duration_ms: attempt.duration_ms,
    response_body: attempt.response_body,
    url: attempt.url,
    request_headers: attempt.request_headers,
    response_headers: attempt.response_headers,
    timings: attempt.timings,
    remote_address: attempt.remote_address,
  })),
  next_attempt_at: row.statusWith(webhook) === 'pending' ? iso(nextAttemptOf(row, webhook)) : null,
  created_at: iso(row.created_at),
  delivered_at: iso(row.delivered_at),
});

/**
 * The later of the delivery's own time and the time at which its endpoint may be called again. Null if no attempt is scheduled, or if it waits for
 * its turn at an ordered webhook, which nobody knows before the earlier events have ended.
 */
function nextAttemptOf({ next_attempt_at: own }: Delivery, { resume_at: endpoints, ordered }: Webhook): Date | null {
  if (own === null) return null;
  const later = endpoints !== null && endpoints !== undefined && endpoints > own ? endpoints : own;
  return ordered && later <= new Date() ? null : later;
}

export const presentReplay = (row: Replay) => ({
  id: row.id,
  webhook_id: row.webhook_id,
  status: row.status,
  since: iso(row.since),
  until: iso(row.until),
  statuses: row.statuses,
  matched: row.matched,
  attempted: row.attempted,
  acknowledged: row.acknowledged,
  created_at: iso(row.created_at),
  ended_at: iso(row.ended_at),
});

/** The result of a dry run of a replay. */
export const presentCount = ({ webhookId, since, until, statuses }: ReplayRange, matched: number) => ({
  id: null,
  webhook_id: webhookId,
  status: 'counted',
  since: iso(since),
  until: iso(until),
  statuses,
  matched,
  attempted: 0,
  acknowledged: 0,
  created_at: null,
  ended_at: null,
});
