/** An endpoint with its webhook for each test, and workers that deliver to it. */
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { endpointForEach } from '../../support/for-each.js';
import { buildQueuedGroup } from '../../support/rows/messages.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { webhookActivities } from '../../support/parts/activities.js';

/** Longer than any answer takes on a busy machine, and what a test of hanging waits. */
const patientMs = 20_000;
export const impatientMs = 150;

export const secondsUntil = (at: Date | null): number => ((at?.getTime() ?? 0) - Date.now()) / 1000;

/** Call it in a `describe`: it registers the hooks. */
export function useEndpointWorkers() {
  const test = endpointForEach();
  return {
    test,
    /** What a worker runs that knows nothing of any endpoint yet. */
    worker(env: NodeJS.ProcessEnv = { WEBHOOK_RETRY_DELAYS: '20,90' }, lateAfterMs = patientMs) {
      const activities = webhookActivities({ db: test.db, config: testConfig(env), poster: test.poster, lateAfterMs });
      return {
        deliver: (groupId: string) => inActivity(activities.deliverEvents, [groupId]),
        carry: () => inActivity(activities.runRetrier, [test.webhook.id]),
      };
    },
    /** A group of so many messages. @returns its id */
    async queued(count: number): Promise<string> {
      return (await buildQueuedGroup(test.db, test.workspaceId, count)).groupId;
    },
    idsReceived: () => test.receiver.received.map(({ headers }) => headers['webhook-id']),
    /** The ids of all events for the webhook, in their order. */
    async eventIds(): Promise<string[]> {
      const sql = 'SELECT event_id FROM deliveries WHERE webhook_id = $1 ORDER BY seq';
      return (await rows<{ event_id: string }>(test.db, sql, [test.webhook.id])).map(({ event_id }) => event_id);
    },
  };
}
