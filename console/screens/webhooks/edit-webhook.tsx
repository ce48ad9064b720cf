/** Change the URL, events, order and rate of a webhook. */
import { useLocation, useRoute } from 'preact-iso';
import { call, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Field, Form, TextField } from '../../parts/form.js';
import { Resource } from '../../parts/loaded.js';
import { Screen } from '../../parts/screen.js';
import { textOf, useForm } from '../../state/form.js';
import { useLoad } from '../../state/load.js';
import { toast } from '../../state/toasts.js';
import { EventTypes, eventTypesOf } from './event-types.js';

export function EditWebhook() {
  const { id = '' } = useRoute().params;
  const webhook = useLoad<Schema<'Webhook'>>(
    id,
    async (signal) => (await call('get', '/api/v1/webhooks/{id}', { params: { id }, signal })).webhook,
  );
  return (
    <Screen title="Change the webhook">
      <Resource of={webhook}>{(shown) => <EditForm webhook={shown} />}</Resource>
    </Screen>
  );
}

const fields = ['url', 'events', 'description', 'rate', 'retry_delays', 'ordered', 'frame_ancestors'] as const;

interface Props {
  webhook: Schema<'Webhook'>;
}

function EditForm({ webhook }: Props) {
  const { route } = useLocation();
  const back = to(`webhooks/${webhook.id}`);
  const form = useForm(async (data) => {
    await call('put', '/api/v1/webhooks/{id}', { params: { id: webhook.id }, body: changesOf(data) });
    toast('The webhook is changed.');
    route(back);
  });
  return (
    <Form form={form} action="Save" fields={fields} more={<a href={back}>Back</a>}>
      <TextField name="url" label="URL" type="url" hint="An https address of your program" defaultValue={webhook.url} required />
      <EventTypes chosen={webhook.events} />
      <TextField name="description" label="Description (optional)" maxLength={500} defaultValue={webhook.description ?? ''} />
      <PaceFields webhook={webhook} />
      <TextField
        name="frame_ancestors"
        label="Sites that may frame its portal (optional)"
        hint="Https origins, separated by commas, for example https://app.example.com; empty: none"
        defaultValue={webhook.frame_ancestors.join(', ')}
      />
      <OrderField webhook={webhook} />
    </Form>
  );
}

/** How fast deliveries go out, and how long a failed one waits. */
function PaceFields({ webhook }: Props) {
  return (
    <>
      <TextField
        name="rate"
        label="Rate (optional)"
        type="number"
        min={1}
        step="any"
        hint="Maximum deliveries per second; empty: no limit"
        defaultValue={webhook.rate?.toString() ?? ''}
      />
      <TextField
        name="retry_delays"
        label="Retry delays (optional)"
        hint="Seconds before each retry, separated by commas; empty: the schedule of the service"
        pattern="\s*\d+(\s*,\s*\d+)*\s*"
        defaultValue={webhook.retry_delays?.join(', ') ?? ''}
      />
    </>
  );
}

function OrderField({ webhook }: Props) {
  return (
    <Field name="ordered" label="Order" hint="A failing event then delays all later ones until its retries end">
      {(control) => (
        <span>
          <input type="checkbox" value="1" defaultChecked={webhook.ordered} {...control} /> One event at a time, oldest first
        </span>
      )}
    </Field>
  );
}

function changesOf(data: FormData): Schema<'UpdateWebhookRequest'> {
  const [url = '', description = '', rate = '', delays = '', sites = ''] = [
    'url',
    'description',
    'rate',
    'retry_delays',
    'frame_ancestors',
  ].map((name) => textOf(data, name).trim());
  return {
    url,
    events: eventTypesOf(data),
    description,
    rate: rate === '' ? null : Number(rate),
    retry_delays: delays === '' ? null : delays.split(',').map(Number),
    ordered: data.has('ordered'),
    frame_ancestors: sites === '' ? null : sites.split(',').map((site) => site.trim()),
  };
}
