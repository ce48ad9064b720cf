/** Create a webhook. Its secret is shown once, with the code that verifies a request. */
import { type Signal, useSignal } from '@preact/signals';
import { call, type Data, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { CopyBlock } from '../../parts/copy.js';
import { Form, TextField } from '../../parts/form.js';
import { MainLink, Screen } from '../../parts/screen.js';
import { textOf, useForm } from '../../state/form.js';
import { EventTypes, eventTypesOf } from './event-types.js';
import { Verification } from './verification.js';
import { OrderField, UrlField } from './webhook-fields.js';

type Created = Data<'/api/v1/webhooks', 'post'>;

export function NewWebhook() {
  const created = useSignal<Created | null>(null);
  return created.value === null ? <CreateForm created={created} /> : <CreatedWebhook {...created.value} />;
}

function CreateForm({ created }: { created: Signal<Created | null> }) {
  const form = useForm(async (data) => {
    const description = textOf(data, 'description');
    const body = {
      url: textOf(data, 'url').trim(),
      events: eventTypesOf(data),
      ...(description === '' ? {} : { description }),
      ...(data.has('ordered') ? { ordered: true } : {}),
    };
    created.value = await call('post', '/api/v1/webhooks', { body });
  });
  return (
    <Screen title="Create a webhook">
      <Form form={form} action="Create" fields={['url', 'events', 'description', 'ordered']} more={<a href={to('webhooks')}>Back</a>}>
        <UrlField />
        <EventTypes />
        <TextField name="description" label="Description (optional)" maxLength={500} />
        <OrderField />
      </Form>
    </Screen>
  );
}

function CreatedWebhook({ webhook, secret, warning }: { webhook: Schema<'CreatedWebhook'>; secret: string; warning: string }) {
  return (
    <Screen title="The webhook is created">
      <p role="status">
        <strong>{warning}</strong>
      </p>
      <CopyBlock value={secret} label="the secret" />
      <Verification />
      <p>
        <MainLink href={to(`webhooks/${webhook.id}`)}>I have stored the secret: go to the webhook</MainLink>
      </p>
    </Screen>
  );
}
