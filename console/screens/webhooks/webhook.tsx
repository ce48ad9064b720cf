/** One webhook: its state, what can be done with it, its deliveries and replays. */
import type { Schema } from '../../api/call.js';
import { CopyValue } from '../../parts/copy.js';
import { numberText } from '../../parts/count.js';
import { Facts } from '../../parts/facts.js';
import { Resource } from '../../parts/loaded.js';
import { Screen } from '../../parts/screen.js';
import { durationText, Time } from '../../parts/time.js';
import { Deliveries, useDeliveries } from './deliveries.js';
import { Replays } from './replays.js';
import { hostOf, useWebhook } from './use-webhook.js';
import { WebhookActions } from './webhook-actions.js';
import { WebhookStatus } from './webhook-status.js';

export function Webhook() {
  const webhook = useWebhook();
  return (
    <Screen title="Webhook" subject={hostOf(webhook.data.value)}>
      <Resource of={webhook}>{(shown) => <Shown webhook={shown} changed={webhook.replace} />}</Resource>
    </Screen>
  );
}

function Shown({ webhook, changed }: { webhook: Schema<'Webhook'>; changed(webhook: Schema<'Webhook'>): void }) {
  const deliveries = useDeliveries(webhook.id);
  const { reload } = deliveries.page;
  return (
    <>
      <section class="summary" aria-label="Status">
        <p>
          <CopyValue value={webhook.url} label="the URL" />
        </p>
        <p role="status">
          <WebhookStatus webhook={webhook} />
        </p>
        <WebhookActions webhook={webhook} changed={changed} tested={reload} />
      </section>
      <Settings webhook={webhook} />
      <Deliveries webhookId={webhook.id} shown={deliveries} />
      <Replays webhook={webhook} ended={reload} />
    </>
  );
}

function Settings({ webhook }: { webhook: Schema<'Webhook'> }) {
  const { retry_delays: delays } = webhook;
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <Facts
        facts={[
          ['Events', webhook.events.join(', ')],
          ['Description', webhook.description],
          ['Order', webhook.ordered ? 'one event at a time, oldest first' : 'as fast as the receiver responds'],
          ['Rate', webhook.rate === null ? null : `at most ${numberText(webhook.rate)} per second`],
          ['Framed by', webhook.frame_ancestors.join(', ')],
          ['Created', <Time key="created" at={webhook.created_at} />],
          ['Id', <CopyValue key="id" value={webhook.id} label="the id" />],
        ]}
      />
      <h3>Retries</h3>
      {delays === null ? <p>By the schedule of the service.</p> : <RetrySchedule delays={delays} />}
    </section>
  );
}

/** The schedule as a time line. */
function RetrySchedule({ delays }: { delays: readonly number[] }) {
  if (delays.length === 0) return <p>None: an event is sent once.</p>;
  return (
    <ol class="retry-schedule">
      <li>at once</li>
      {delays.map((seconds, index) => (
        <li key={index}>{`after ${durationText(seconds * 1000)}`}</li>
      ))}
    </ol>
  );
}
