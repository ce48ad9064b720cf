/** `deliverEvents` for groups of messages, with receivers whose webhooks subscribe to them. */
import { webhookPoster, type WebhookPoster } from '../../../activities/webhooks/post-webhook.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { workspaceForEach } from '../../support/for-each.js';
import { type Receiver, startReceiver, trustTestAuthority } from '../../support/network/receiver.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { webhookActivities } from '../../support/parts/activities.js';

/** Call it in a `describe`: it registers the hooks. */
export function useDeliverEvents() {
  const test = workspaceForEach();
  let poster: WebhookPoster;
  let receivers: Receiver[] = [];
  before(async () => {
    await trustTestAuthority();
    poster = webhookPoster(testConfig(), { totalTimeoutMs: 2_000 });
  });
  afterEach(async () => {
    await Promise.all(receivers.map((receiver) => receiver.close()));
    receivers = [];
  });
  after(() => poster.close());

  const activitiesWith = (env: NodeJS.ProcessEnv = {}) => webhookActivities({ db: test.db, config: testConfig(env), poster });
  const leave = (groupId: string, activities = activitiesWith(), attempt = 1) => inActivity(activities.deliverEvents, [groupId], attempt);
  return {
    test,
    activitiesWith,
    /** @returns what is left to workflows: to children, or to the retriers of webhooks */
    leave,
    /** @returns the webhooks whose retrier has to be woken */
    deliver: async (...args: Parameters<typeof leave>) => (await leave(...args)).retriers,
    /** A receiver with a webhook of the workspace. */
    async subscribe(answer?: Receiver['answer']) {
      const receiver = await startReceiver(answer);
      receivers.push(receiver);
      return { receiver, ...(await buildWebhook(test.workspaceId, receiver.url)) };
    },
    deliveriesOf: (messageId: string, webhookId: string) =>
      rows<{ id: string; status: string; event: string; in_child: boolean }>(
        test.db,
        'SELECT id, status, event, in_child FROM deliveries WHERE message_id = $1 AND webhook_id = $2 ORDER BY seq',
        [messageId, webhookId],
      ),
  };
}
