/** The activities that deliver events: first attempts of a group, and the retries of one webhook. */
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import type { Config } from '../models/config.js';
import type { Database } from '../models/database.js';
import type { Trigger } from '../models/delivery.js';
import { countFailed, type DueDelivery, firstDeliveries, leaveToChild, pendingDeliveries } from '../models/operations/due-deliveries.js';
import { type NextStep, recordAttempt } from '../models/operations/record-attempt.js';
import { decrypt } from '../models/rules/encryption.js';
import { groupBy } from '../models/rules/group-by.js';
import { parseRetryAfter, retryDelaySeconds } from '../models/rules/retry.js';
import { deliveryHeaders } from '../models/rules/signature.js';
import type { DeliverWebhookInput } from '../workflows/contract.js';
import { EndpointHealth } from './endpoint-health.js';
import { withHeartbeat } from './heartbeat.js';
import type { PostResult, WebhookPoster } from './post-webhook.js';

export interface WebhookDeps {
  db: Database;
  config: Pick<Config, 'secretKey' | 'webhookRetryDelaysSeconds' | 'webhookFirstAttempt'>;
  poster: WebhookPoster;
}

const endpointsAtOnce = 16;

export function webhookActivities({ db, config, poster }: WebhookDeps) {
  const health = new EndpointHealth();

  /** One attempt of one delivery, recorded. */
  const attempt = async (delivery: DueDelivery, trigger: Trigger): Promise<{ next: NextStep; isActive: boolean }> => {
    const secrets = secretsOf(config.secretKey, delivery);
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const headers = deliveryHeaders({ id: delivery.event_id, type: delivery.event, body: delivery.body, secrets, timestampSeconds });
    const result = await poster.post(delivery.url, headers, delivery.body);
    health.note(delivery.webhook_id, result.error === null, result.durationMs);
    const next = nextStep(result, delivery, config.webhookRetryDelaysSeconds);
    const isActive = await recordAttempt(db, { ...result, deliveryId: delivery.id, webhookId: delivery.webhook_id, trigger, next });
    return { next, isActive };
  };

  /** Attempts deliveries to one webhook in order; after the first failure the rest waits for its own retry. */
  const attemptInOrder = async (deliveries: DueDelivery[]): Promise<DueDelivery[]> => {
    for (const [index, delivery] of deliveries.entries()) {
      const { next, isActive } = await attempt(delivery, 'scheduled');
      if (next.status === 'pending') return deliveries.slice(index);
      if (!isActive) return []; // paused, deleted or gone meanwhile: whoever did that held the rest
    }
    return [];
  };

  /** Attempts deliveries webhook by webhook, several webhooks side by side; returns what is left, by webhook. */
  const attemptAll = async (due: DueDelivery[]): Promise<DeliverWebhookInput[]> => {
    const left: DeliverWebhookInput[] = [];
    const endpoints = [...groupBy(due, ({ webhook_id }) => webhook_id)];
    const next = async (): Promise<void> => {
      const endpoint = endpoints.shift();
      if (endpoint === undefined) return;
      const [webhookId, deliveries] = endpoint;
      const rest = health.isFailing(webhookId) ? deliveries : await attemptInOrder(deliveries);
      if (rest.length > 0) left.push({ webhookId, deliveryIds: rest.map(({ id }) => id) });
      await next();
    };
    await Promise.all(Array.from({ length: endpointsAtOnce }, next));
    return left;
  };

  return {
    /**
     * First attempts of everything that is due for a group, each webhook's events in order, webhooks side by side.
     * @returns what is left to child workflows, by webhook: what was not acknowledged, and what was not tried because the
     * endpoint is known to hang or fail
     */
    deliverEvents: (groupId: string): Promise<DeliverWebhookInput[]> =>
      withHeartbeat(async () => {
        const due = await firstDeliveries(db, groupId, activityInfo().attempt > 1);
        const left: DeliverWebhookInput[] =
          config.webhookFirstAttempt === 'child' ? due.map(({ webhook_id, id }) => ({ webhookId: webhook_id, deliveryIds: [id] })) : await attemptAll(due);
        await leaveToChild(db, left.flatMap(({ deliveryIds }) => deliveryIds));
        return left;
      }),

    /**
     * The due ones of these deliveries. While some are pending this activity fails with the delay until the next is due, so that
     * the server's retry timer carries the ladder; when one has used up its ladder it fails for good, for operators to see.
     */
    retryDeliveries: ({ deliveryIds }: DeliverWebhookInput): Promise<void> =>
      withHeartbeat(async () => {
        const now = Date.now();
        const due = (await pendingDeliveries(db, deliveryIds)).filter(({ next_attempt_at }) => next_attempt_at.getTime() <= now);
        await attemptInOrder(due);
        const waiting = await pendingDeliveries(db, deliveryIds);
        const [soonest] = waiting;
        if (soonest !== undefined) throw notYet(waiting.length, soonest.next_attempt_at);
        const failed = await countFailed(db, deliveryIds);
        if (failed > 0) throw ApplicationFailure.nonRetryable(`${failed} of ${deliveryIds.length} deliveries failed for good`, 'DeliveriesFailed');
      }),
  };
}

function secretsOf(secretKey: string, { webhook_id, secret, old_secret, old_secret_until }: DueDelivery): string[] {
  const sealed = old_secret !== null && old_secret_until !== null && old_secret_until > new Date() ? [secret, old_secret] : [secret];
  return sealed.map((bytes) => decrypt(secretKey, `webhook:${webhook_id}`, bytes));
}

function nextStep({ error, responseStatus, retryAfter, at }: PostResult, { ladder_step }: DueDelivery, delays: readonly number[]): NextStep {
  if (error === null) return { status: 'succeeded' };
  if (error === 'blocked_address') return { status: 'failed' };
  if (responseStatus === 410) return { status: 'failed', disableWebhook: 'The endpoint answered 410 Gone' };
  const seconds = retryDelaySeconds(delays, ladder_step + 1, parseRetryAfter(retryAfter, at));
  return seconds === null ? { status: 'failed' } : { status: 'pending', nextAttemptAt: new Date(Date.now() + seconds * 1000) };
}

function notYet(count: number, at: Date): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'DeliveriesPending',
    message: `${count} deliveries are waiting for their next attempt`,
    nextRetryDelay: Math.max(10, at.getTime() - Date.now()),
  });
}
