/** Change the URL, events, order and rate of a webhook. */
import { call, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Form, TextField } from '../../parts/form.js';
import { Resource } from '../../parts/loaded.js';
import { Screen } from '../../parts/screen.js';
import { textOf, useForm } from '../../state/form.js';
import { notify } from '../../state/notices.js';
import { EventTypes, eventTypesOf } from './event-types.js';
import { hostOf, useWebhook } from './use-webhook.js';
import { OrderField, UrlField } from './webhook-fields.js';

export function EditWebhook() {
  const webhook = useWebhook();
  return (
    <Screen title="Change the webhook" subject={hostOf(webhook.data.value)}>
      <Resource of={webhook}>{(shown) => <EditForm webhook={shown} />}</Resource>
    </Screen>
  );
}

const fields = ['url', 'events', 'description', 'rate', 'retry_delays', 'frame_ancestors'] as const;

function EditForm({ webhook }: { webhook: Schema<'Webhook'> }) {
  const back = to(`webhooks/${webhook.id}`);
  const shown = textsOf(webhook);
  const form = useForm(async (data, _form, origin) => {
    await call('put', '/api/v1/webhooks/{id}', { params: { id: webhook.id }, body: changesOf(data, webhook) });
    notify('Webhook changed.');
    origin.go(back);
  });
  return (
    <Form form={form} action="Save" fields={fields} more={<a href={back}>Back</a>}>
      <UrlField url={shown.url} />
      <EventTypes chosen={webhook.events} />
      <TextField name="description" label="Description (optional)" maxLength={500} defaultValue={shown.description} />
      <PaceFields shown={shown} />
      <TextField
        name="frame_ancestors"
        label="Sites that may frame its portal (optional)"
        hint="Https origins, separated by commas, for example https://app.example.com; empty: none"
        defaultValue={shown.frame_ancestors}
      />
      <OrderField isOrdered={webhook.ordered} />
    </Form>
  );
}

/** The fields as the form shows them. An input of one line shows a text without its line breaks. */
const textsOf = ({ url, description, rate, retry_delays, frame_ancestors }: Schema<'Webhook'>) => ({
  url,
  description: (description ?? '').replaceAll(/[\r\n]/g, '').trim(),
  rate: rate?.toString() ?? '',
  retry_delays: retry_delays?.join(', ') ?? '',
  frame_ancestors: frame_ancestors.join(', '),
});
type Texts = ReturnType<typeof textsOf>;

/** How fast deliveries go out, and how long a failed one waits. */
function PaceFields({ shown }: { shown: Texts }) {
  return (
    <>
      <TextField
        name="rate"
        label="Rate (optional)"
        type="number"
        min={1}
        step="any"
        hint="Maximum deliveries per second; empty: no limit"
        defaultValue={shown.rate}
      />
      <TextField
        name="retry_delays"
        label="Retry delays (optional)"
        hint="Seconds before each retry, separated by commas; empty: the schedule of the service"
        pattern="\s*\d+(\s*,\s*\d+)*\s*"
        defaultValue={shown.retry_delays}
      />
    </>
  );
}

/**
 * What was not changed is left out: a program may have changed it since it was shown, and the form shows a webhook without retries as one with
 * the schedule of the service.
 */
function changesOf(data: FormData, webhook: Schema<'Webhook'>): Schema<'UpdateWebhookRequest'> {
  const shown = textsOf(webhook);
  const given = (name: keyof Texts) => textOf(data, name).trim();
  const [rate, delays, sites] = [given('rate'), given('retry_delays'), given('frame_ancestors')];
  const texts = {
    url: given('url'),
    description: given('description'),
    rate: rate === '' ? null : Number(rate),
    retry_delays: delays === '' ? null : delays.split(',').map(Number),
    frame_ancestors: sites === '' ? null : sites.split(',').map((site) => site.trim()),
  };
  const changed = Object.entries(texts).filter(([name]) => given(name as keyof Texts) !== shown[name as keyof Texts]);
  const [events, ordered] = [eventTypesOf(data), data.has('ordered')];
  const hasSameEvents = new Set([...events, ...webhook.events]).size === events.length && events.length === webhook.events.length;
  return {
    ...Object.fromEntries(changed),
    ...(hasSameEvents ? {} : { events }),
    ...(ordered === webhook.ordered ? {} : { ordered }),
  };
}
