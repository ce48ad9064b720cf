/** Ask for an e-mail with a link that sets a new password. The link leads to the page `/reset-password`. */
import { useSignal } from '@preact/signals';
import { call } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Form, TextField } from '../../parts/form.js';
import { Screen } from '../../parts/screen.js';
import { textOf, useForm } from '../../state/form.js';

export function ForgotPassword() {
  const outcome = useSignal('');
  const form = useForm(async (data) => {
    const { message } = await call('post', '/api/v1/auth/forgot-password', { body: { email: textOf(data, 'email').trim() } });
    outcome.value = message;
  });
  return (
    <Screen title="Reset your password">
      <p role="status">{outcome.value}</p>
      {outcome.value === '' && (
        <Form form={form} action="Send the link" fields={['email']}>
          <p>You get an e-mail with a link to set a new password. The link is valid for 60 minutes.</p>
          <TextField name="email" label="E-mail address" type="email" autocomplete="username" required maxLength={254} />
        </Form>
      )}
      <p>
        <a href={to('login')}>Back to login</a>
      </p>
    </Screen>
  );
}
