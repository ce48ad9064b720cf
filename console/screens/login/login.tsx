/** Log in, with the code of an authenticator app where the workspace needs one. */
import { useSignal } from '@preact/signals';
import { to } from '../../api/base.js';
import { Problem } from '../../api/problem.js';
import { Form, TextField } from '../../parts/form.js';
import { Screen } from '../../parts/screen.js';
import { textOf, useForm } from '../../state/form.js';
import { logIn, session } from '../../state/session.js';

export function LogIn() {
  const needsCode = useSignal(false);
  const form = useForm(async (data, element) => {
    const code = textOf(data, 'code').trim();
    const login = { email: textOf(data, 'email').trim(), password: textOf(data, 'password'), ...(code === '' ? {} : { code }) };
    try {
      await logIn(login);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'code_required' || needsCode.value) throw error;
      needsCode.value = true;
      requestAnimationFrame(() => element.querySelector<HTMLInputElement>('[name=code]')?.focus());
    }
  });
  const reason = session.value.state === 'none' ? session.value.reason : null;
  return (
    <Screen title="Log in">
      {reason !== null && <p role="status">{reason}</p>}
      <Form form={form} action="Log in" fields={['email', 'password', 'code']}>
        <TextField name="email" label="E-mail address" type="email" autocomplete="username" required maxLength={254} />
        <TextField name="password" label="Password" type="password" autocomplete="current-password" required />
        {needsCode.value && (
          <TextField
            name="code"
            label="Verification code"
            hint="From your authenticator app, or one of your recovery codes"
            autocomplete="one-time-code"
            required
          />
        )}
      </Form>
      <p>
        <a href={to('forgot-password')}>Forgotten password</a> · <a href={to('sign-up')}>Create a workspace</a>
      </p>
    </Screen>
  );
}
