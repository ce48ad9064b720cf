/** The activities that deliver events: first attempts of a group, and the retries of one webhook. */
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import type { Config } from '../models/config.js';
import type { Database } from '../models/database.js';
import { countFailed, firstDeliveries, leaveToChild, pendingDeliveries } from '../models/operations/due-deliveries.js';
import type { DeliverWebhookInput } from '../workflows/contract.js';
import { Attempts } from './attempts.js';
import { withHeartbeat } from './heartbeat.js';
import type { WebhookPoster } from './post-webhook.js';
import { type Tended, tendPage } from './tend-page.js';

export interface WebhookDeps {
  db: Database;
  config: Pick<Config, 'secretKey' | 'webhookRetryDelaysSeconds' | 'webhookFirstAttempt'>;
  poster: WebhookPoster;
}

export function webhookActivities({ db, config, poster }: WebhookDeps) {
  const attempts = new Attempts({ db, config, poster });

  return {
    /**
     * First attempts of everything that is due for a group, each webhook's events in order, webhooks side by side.
     * @returns what is left to child workflows, by webhook: what was not acknowledged, and what was not tried because the
     * endpoint is known to hang or fail
     */
    deliverEvents: (groupId: string): Promise<DeliverWebhookInput[]> =>
      withHeartbeat(() => deliverDue(groupId, activityInfo().attempt > 1)),

    /** Applies the reports of a page and delivers its events, for as long as there are any. */
    tendPage: (groupId: string): Promise<Tended> =>
      withHeartbeat((signal) => tendPage({ db, deliver: (again) => deliverDue(groupId, again) }, groupId, signal)),

    /**
     * The due ones of these deliveries. While some are pending this activity fails with the delay until the next is due, so that
     * the server's retry timer carries the ladder; when one has used up its ladder it fails for good, for operators to see.
     */
    retryDeliveries: ({ deliveryIds }: DeliverWebhookInput): Promise<void> =>
      withHeartbeat(async () => {
        const now = Date.now();
        const due = (await pendingDeliveries(db, deliveryIds)).filter(({ next_attempt_at }) => next_attempt_at.getTime() <= now);
        await attempts.toEndpoint(due);
        const waiting = await pendingDeliveries(db, deliveryIds);
        const [soonest] = waiting;
        if (soonest !== undefined) throw notYet(waiting.length, soonest.next_attempt_at);
        const failed = await countFailed(db, deliveryIds);
        if (failed > 0)
          throw ApplicationFailure.nonRetryable(`${failed} of ${deliveryIds.length} deliveries failed for good`, 'DeliveriesFailed');
      }),
  };

  async function deliverDue(groupId: string, again: boolean): Promise<DeliverWebhookInput[]> {
    const due = await firstDeliveries(db, groupId, again);
    const left: DeliverWebhookInput[] =
      config.webhookFirstAttempt === 'child'
        ? due.map(({ webhook_id, id }) => ({ webhookId: webhook_id, deliveryIds: [id] }))
        : await attempts.toAll(due);
    await leaveToChild(
      db,
      left.flatMap(({ deliveryIds }) => deliveryIds),
    );
    return left;
  }
}

function notYet(count: number, at: Date): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'DeliveriesPending',
    message: `${count} deliveries are waiting for their next attempt`,
    nextRetryDelay: Math.max(10, at.getTime() - Date.now()),
  });
}
