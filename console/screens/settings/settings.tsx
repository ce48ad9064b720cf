/** The settings of the workspace and of its login. */
import { call } from '../../api/call.js';
import { Facts } from '../../parts/facts.js';
import { Resource } from '../../parts/loaded.js';
import { Screen } from '../../parts/screen.js';
import { useLoad } from '../../state/load.js';
import type { Workspace } from '../../state/session.js';
import { CloseAccount, EmailForm, PasswordForm } from './login-forms.js';
import { PolicyForm } from './policy-form.js';
import { SecondFactor } from './second-factor.js';
import { Sessions } from './sessions.js';

export function Settings() {
  const workspace = useLoad<Workspace>('', async (signal) => (await call('get', '/api/v1/workspace', { signal })).workspace);
  return (
    <Screen title="Settings">
      <Resource of={workspace}>
        {(shown) => (
          <>
            <Facts
              facts={[
                ['Workspace', shown.name],
                ['E-mail address', `${shown.email}${shown.email_verified ? '' : ' (not verified)'}`],
                ['Id', <code key="id">{shown.id}</code>],
              ]}
            />
            <PolicyForm workspace={shown} changed={workspace.replace} />
            <PasswordForm email={shown.email} />
            <SecondFactor />
            <EmailForm />
            <Sessions />
            <CloseAccount />
          </>
        )}
      </Resource>
    </Screen>
  );
}
