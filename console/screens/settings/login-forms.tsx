/** Password, e-mail address and the end of the account. */
import { call } from '../../api/call.js';
import { Form, TextField } from '../../parts/form.js';
import { NewPassword } from '../../parts/new-password.js';
import { confirm } from '../../state/confirm.js';
import { textOf, useForm } from '../../state/form.js';
import { endSession, logIn } from '../../state/session.js';
import { notify } from '../../state/notices.js';

const CurrentPassword = () => (
  <TextField name="current_password" label="Current password" type="password" autocomplete="current-password" required />
);

export function PasswordForm({ email }: { email: string }) {
  const form = useForm(async (data, element) => {
    const password = textOf(data, 'password');
    await call('put', '/api/v1/auth/password', { body: { current_password: textOf(data, 'current_password'), password } });
    // All sessions have ended. This one begins again, unless it needs a code.
    try {
      await logIn({ email, password });
    } catch {
      return endSession('Password changed. Please log in with the new one.');
    }
    element.reset();
    notify('Password changed. All other sessions have ended.');
  }, 'The password may have been changed. If you have to log in, try the new one first.');
  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <Form form={form} action="Change the password" fields={['current_password', 'password']}>
        <CurrentPassword />
        <NewPassword label="New password" />
      </Form>
    </section>
  );
}

export function EmailForm() {
  const form = useForm(async (data, element) => {
    const body = { email: textOf(data, 'email').trim(), current_password: textOf(data, 'current_password') };
    const { message } = await call('post', '/api/v1/auth/change-email', { body });
    element.reset();
    notify(message);
  });
  return (
    <section aria-labelledby="email">
      <h2 id="email">E-mail address</h2>
      <Form form={form} action="Change the address" fields={['email', 'current_password']}>
        <TextField name="email" label="New e-mail address" type="email" autocomplete="email" maxLength={254} required />
        <CurrentPassword />
      </Form>
    </section>
  );
}

const endText =
  'API keys and webhooks stop at once, what was not sent is cancelled, and remaining credits are lost. This cannot be undone.';

export function CloseAccount() {
  const form = useForm(async (data) => {
    if (!(await confirm({ title: 'Close the account?', text: endText, action: 'Close the account permanently' }))) return;
    await call('delete', '/api/v1/auth/workspace', { body: { current_password: textOf(data, 'current_password') } });
    endSession('Account closed.');
  });
  return (
    <section aria-labelledby="close">
      <h2 id="close">Close the account</h2>
      <p>{endText}</p>
      <Form form={form} action="Close the account" fields={['current_password']} isDanger>
        <CurrentPassword />
      </Form>
    </section>
  );
}
