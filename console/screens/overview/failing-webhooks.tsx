/** Webhooks that need attention: failing ones, and those that were disabled. */
import { call, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Resource } from '../../parts/loaded.js';
import { LongText } from '../../parts/table.js';
import { type Loaded, useLoad } from '../../state/load.js';
import { WebhookStatus } from '../webhooks/webhook-status.js';

/** The webhooks of the workspace that fail, or are disabled because they did. */
export const useFailing = (): Loaded<readonly Schema<'Webhook'>[]> =>
  useLoad('', async (signal) => {
    const answer = await call('get', '/api/v1/webhooks', { query: { limit: 100 }, signal });
    return answer.webhooks.filter(
      ({ is_active, disabled_reason, failing_since }) => (is_active ? failing_since : disabled_reason) !== null,
    );
  });

export function FailingWebhooks({ webhooks }: { webhooks: ReturnType<typeof useFailing> }) {
  // Most workspaces have none: nothing is said of them while they are read.
  if (webhooks.problem.value === null && (webhooks.data.value ?? []).length === 0) return null;
  return (
    <section class="problem" aria-labelledby="failing">
      <h2 id="failing">Webhooks that fail</h2>
      <Resource of={webhooks}>
        {(failing) => (
          <ul>
            {failing.map((webhook) => (
              <li key={webhook.id}>
                <a href={to(`webhooks/${webhook.id}`)}>
                  <LongText text={webhook.url} />
                </a>{' '}
                <WebhookStatus webhook={webhook} />
              </li>
            ))}
          </ul>
        )}
      </Resource>
    </section>
  );
}
