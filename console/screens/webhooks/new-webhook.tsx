/** Create a webhook. Its secret is shown once, with the code that verifies a request. */
import { useLocation } from 'preact-iso';
import { call, type Data, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { CopyBlock } from '../../parts/copy.js';
import { Form, TextField } from '../../parts/form.js';
import { Screen } from '../../parts/screen.js';
import { textOf, useForm } from '../../state/form.js';
import { useShownOnce } from '../../state/shown-once.js';
import { EventTypes, eventTypesOf } from './event-types.js';
import { Verification } from './verification.js';
import { OrderField, UrlField } from './webhook-fields.js';

type Created = Data<'/api/v1/webhooks', 'post'>;

export function NewWebhook() {
  const { values, show } = useShownOnce<Created>('secret', 'Webhook created. Its secret cannot be displayed any more: rotate it.');
  const [created] = values.value;
  return created === undefined ? <CreateForm show={show} /> : <CreatedWebhook {...created} />;
}

function CreateForm({ show }: { show(created: Promise<Created>): Promise<Created> }) {
  const form = useForm(async (data) => {
    const description = textOf(data, 'description');
    const body = {
      url: textOf(data, 'url').trim(),
      events: eventTypesOf(data),
      ...(description === '' ? {} : { description }),
      ...(data.has('ordered') ? { ordered: true } : {}),
    };
    await show(call('post', '/api/v1/webhooks', { body }));
  }, 'The webhook may have been created. Look at the list before you try again.');
  return (
    <Screen title="Create a webhook">
      <Form form={form} action="Create" fields={['url', 'events', 'description']} more={<a href={to('webhooks')}>Back</a>}>
        <UrlField />
        <EventTypes />
        <TextField name="description" label="Description (optional)" maxLength={500} />
        <OrderField />
      </Form>
    </Screen>
  );
}

function CreatedWebhook({ webhook, secret, warning }: { webhook: Schema<'CreatedWebhook'>; secret: string; warning: string }) {
  const { route } = useLocation();
  return (
    <Screen title="Webhook created">
      <p role="status">
        <strong>{warning}</strong>
      </p>
      <CopyBlock value={secret} label="the secret" />
      <Verification />
      <p>
        <button type="button" class="primary" onClick={() => route(to(`webhooks/${webhook.id}`))}>
          I have stored the secret: go to the webhook
        </button>
      </p>
    </Screen>
  );
}
