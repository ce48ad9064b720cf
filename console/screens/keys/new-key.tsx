/** Create an API key. Its value is shown once. */
import { useLocation } from 'preact-iso';
import { call, type Data, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { channels } from '../../parts/channels.js';
import { Choices } from '../../parts/check-boxes.js';
import { CopyBlock } from '../../parts/copy.js';
import { Form, TextField } from '../../parts/form.js';
import { Screen } from '../../parts/screen.js';
import { momentOf } from '../../parts/time.js';
import { textOf, useForm } from '../../state/form.js';
import { useShownOnce } from '../../state/shown-once.js';

type Scope = Schema<'Scope'>;

const scopes = {
  send_messages: 'send, cancel and preview',
  read_messages: 'read messages and the stream of events',
  manage_contacts: 'contacts and suppressions',
  manage_webhooks: 'webhooks and their deliveries',
} as const satisfies Record<Scope, string>;
const fields = ['name', 'scopes', 'channels', 'expires_at', 'allowed_addresses'] as const;

export function NewKey() {
  const { values, show } = useShownOnce<Data<'/api/v1/api-keys', 'post'>>(
    'key',
    'Key created. Its value cannot be displayed any more: rotate or revoke it.',
  );
  const form = useForm(async (data) => {
    await show(call('post', '/api/v1/api-keys', { body: bodyOf(data) }));
  }, 'The key may have been created. Look at the list before you try again.');
  const [created] = values.value;
  if (created !== undefined) return <CreatedKey apiKey={created} />;
  return (
    <Screen title="Create an API key">
      <Form form={form} action="Create" fields={fields} more={<a href={to('keys')}>Back</a>}>
        <TextField name="name" label="Name" hint="For yourself, for example the program that uses it" required />
        <Choices name="scopes" legend="Scopes" options={scopes} chosen={Object.keys(scopes)} />
        <Choices
          name="channels"
          legend="Channels"
          options={Object.fromEntries(channels.map((channel) => [channel, '']))}
          chosen={channels}
        />
        <TextField name="expires_at" label="Expires at (optional)" type="datetime-local" />
        <TextField
          name="allowed_addresses"
          label="Allowed addresses (optional)"
          hint="Addresses and networks that may use it, separated by commas, for example 203.0.113.0/24; empty: all"
        />
      </Form>
    </Screen>
  );
}

function bodyOf(data: FormData): Schema<'CreateApiKeyRequest'> {
  const chosen = data.getAll('channels') as Schema<'Channel'>[];
  const addresses = textOf(data, 'allowed_addresses')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  return {
    name: textOf(data, 'name'),
    scopes: data.getAll('scopes') as Scope[],
    expires_at: momentOf(textOf(data, 'expires_at')),
    ...(chosen.length === channels.length ? {} : { channels: chosen }),
    ...(addresses.length === 0 ? {} : { allowed_addresses: addresses }),
  };
}

function CreatedKey({ apiKey: { key, warning } }: { apiKey: Data<'/api/v1/api-keys', 'post'> }) {
  const { route } = useLocation();
  return (
    <Screen title="API key created">
      <p role="status">
        <strong>{warning}</strong>
      </p>
      <CopyBlock value={key} label="the API key" />
      <p>
        Send it in the header <code>X-API-Key</code>.
      </p>
      <p>
        <button type="button" class="primary" onClick={() => route(to('keys'))}>
          I have stored the key
        </button>
      </p>
    </Screen>
  );
}
