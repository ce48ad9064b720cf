/** Pages of replays whose deliveries have ended. */
import type { DeliveryStatus } from '../../../models/tables/delivery.js';
import { Replay } from '../../../models/tables/replay.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import type { endpointForEach } from '../../support/for-each.js';
import { buildReplay } from '../../support/rows/factories.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { webhookOperationActivities } from '../../support/parts/activities.js';

type Test = ReturnType<typeof endpointForEach>;

const end = 'UPDATE deliveries SET status = $2, next_attempt_at = NULL, ladder_step = 3 WHERE group_id = $1 RETURNING id';

/** Ends the deliveries of a group with this status. @returns their ids */
export async function endDeliveries({ db }: Test, groupId: string, status: DeliveryStatus): Promise<string[]> {
  return (await rows<{ id: string }>(db, end, [groupId, status])).map(({ id }) => id);
}

/** A replay of deliveries with this status, which has listed one page. */
export async function replayPageOf(test: Test, deliveryIds: string[], status: DeliveryStatus, isLast: boolean) {
  const { id: replayId } = await buildReplay(test.webhook.id, { statuses: [status] });
  const { replayPage } = webhookOperationActivities({ db: test.db, config: testConfig(), poster: test.poster });
  const input = { replayId, webhookId: test.webhook.id, deliveryIds, isLast, statuses: [status] };
  return {
    replayId,
    deliveryIds,
    run: (attempt = 1) => inActivity(replayPage, [input], attempt),
    /** What the replay has attempted, and what was acknowledged. */
    counts: async () => {
      const { attempted, acknowledged } = await Replay.ofWebhook(test.webhook.id, replayId);
      return [attempted, acknowledged];
    },
  };
}
