/** The accounts with providers: whether each one takes the credentials. Sends nothing. */
import { createProviders } from '../../handoff/providers/index.js';
import type { Provider } from '../../handoff/providers/provider.js';
import { type Check, failed, type Finding, ok, skipped, warning } from '../check.js';

export const providersCheck: Check = {
  subject: 'providers',
  fix: 'Check the settings PROVIDER_*',
  async run({ config, db, signal }) {
    const { accounts } = createProviders(config, { db, delayMs: 0, onTaken: () => undefined });
    return Promise.all([...accounts.values()].map((provider) => accountFinding(provider, signal)));
  },
};

async function accountFinding({ name, checkCredentials }: Provider, signal: AbortSignal): Promise<Finding> {
  const subject = `provider ${name}`;
  if (checkCredentials === undefined) return skipped(subject, 'needs no credentials');
  const answer = await checkCredentials(signal);
  if (answer === 'accepted') return ok(subject, 'accepts the credentials');
  if (answer === 'refused')
    return failed(subject, 'refuses the credentials: messages wait until they expire', 'Correct the credentials of the account');
  return warning(subject, `did not answer as expected (${answer.unclear})`, 'Look at the status page of the provider, and try again');
}
