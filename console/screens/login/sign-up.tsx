/** Create a workspace, and log in to it. */
import { call } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Form, TextField } from '../../parts/form.js';
import { NewPassword } from '../../parts/new-password.js';
import { Screen } from '../../parts/screen.js';
import { textOf, useForm } from '../../state/form.js';
import { logIn, session } from '../../state/session.js';

const fields = ['company_name', 'email', 'password', 'country'] as const;

export function SignUp() {
  const form = useForm(async (data, _form, origin) => {
    const [company_name = '', email = '', password = '', country = ''] = fields.map((name) => textOf(data, name));
    const body = { company_name, email: email.trim(), password, ...(country === '' ? {} : { country: country.trim().toUpperCase() }) };
    await call('post', '/api/v1/auth/signup', { body });
    // If this fails, the workspace is there all the same: the form must not be sent again.
    await logIn({ email: body.email, password }).catch(() => {
      session.value = { state: 'none', reason: 'Workspace created. Please log in.' };
      origin.go(to('login'), true);
    });
  });
  return (
    <Screen title="Create a workspace">
      <Form form={form} action="Create the workspace" fields={fields}>
        <TextField name="company_name" label="Company or project" autocomplete="organization" required />
        <TextField name="email" label="E-mail address" type="email" autocomplete="username" required maxLength={254} />
        <NewPassword />
        <TextField name="country" label="Country (optional)" hint="Two letters, for example DE" autocomplete="country" maxLength={2} />
      </Form>
      <p>
        <a href={to('login')}>I have a workspace: log in</a>
      </p>
    </Screen>
  );
}
