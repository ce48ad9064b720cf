/** The second factor: an authenticator app. */
import { useSignal } from '@preact/signals';
import { call, type Data } from '../../api/call.js';
import { CopyBlock } from '../../parts/copy.js';
import { Form, TextField } from '../../parts/form.js';
import { textOf, useForm } from '../../state/form.js';
import { toast } from '../../state/toasts.js';

export function SecondFactor() {
  const offered = useSignal<Data<'/api/v1/auth/totp', 'post'> | null>(null);
  const begin = useForm(async () => {
    offered.value = await call('post', '/api/v1/auth/totp');
  });
  const confirming = useForm(async (data) => {
    const { message } = await call('post', '/api/v1/auth/totp/confirm', { body: { code: textOf(data, 'code').trim() } });
    offered.value = null;
    toast(message);
  });
  return (
    <section aria-labelledby="totp">
      <h2 id="totp">Second factor</h2>
      {offered.value === null ? (
        <Form form={begin} action="Set up an authenticator app" fields={[]}>
          <p>Sign-ins then need a code of the app as well.</p>
        </Form>
      ) : (
        <>
          <Offer {...offered.value} />
          <Form form={confirming} action="Turn it on" fields={['code']}>
            <TextField name="code" label="Code of the app" autocomplete="one-time-code" required />
          </Form>
        </>
      )}
      <RemoveForm />
    </section>
  );
}

function Offer({ secret, otpauth_url, recovery_codes }: Data<'/api/v1/auth/totp', 'post'>) {
  return (
    <div role="status">
      <p>
        Add this secret to your app, or <a href={otpauth_url}>open the app with it</a>.
      </p>
      <CopyBlock value={secret} label="the secret" />
      <p>Store these recovery codes. Each works once in place of a code; they are displayed only now.</p>
      <CopyBlock value={recovery_codes.join('\n')} label="the recovery codes" />
    </div>
  );
}

function RemoveForm() {
  const form = useForm(async (data, element) => {
    const { message } = await call('delete', '/api/v1/auth/totp', { body: { code: textOf(data, 'code').trim() } });
    element.reset();
    toast(message);
  });
  return (
    <details>
      <summary>Turn the second factor off</summary>
      <Form form={form} action="Turn it off" fields={['code']}>
        <TextField name="code" label="Code of the app, or a recovery code" autocomplete="one-time-code" required />
      </Form>
    </details>
  );
}
