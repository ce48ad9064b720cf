/** The accounts with providers: whether each one takes the credentials. Sends nothing. */
import type { ProviderAccount } from '../../../models/rules/routing/provider-kinds.js';
import { createProviders } from '../../handoff/providers/index.js';
import type { Provider } from '../../handoff/providers/provider.js';
import { type Check, failed, type Finding, ok, skipped, warning } from '../check.js';

export const providersCheck: Check = {
  subject: 'providers',
  fix: 'Check the settings PROVIDER_*',
  async run({ config, db, signal }) {
    const { accounts } = createProviders(config, { db, delayMs: 0, onTaken: () => undefined });
    const findings = await Promise.all([...accounts.values()].map((provider) => accountFinding(provider, signal)));
    return [...findings, ...topicFindings(config.accounts)];
  },
};

/** Accounts whose callbacks may be signed with a weak digest. */
export const topicFindings = (accounts: readonly ProviderAccount[]): Finding[] =>
  accounts.flatMap((account) =>
    account.kind === 'ses' && account.allowsSha1
      ? [
          warning(
            `topic of ${account.name}`,
            'callbacks signed with SHA-1 are accepted',
            'Set SignatureVersion 2 on it, then remove SES_SNS_SHA1',
          ),
        ]
      : [],
  );

async function accountFinding({ name, checkCredentials }: Provider, signal: AbortSignal): Promise<Finding> {
  const subject = `provider ${name}`;
  if (checkCredentials === undefined) return skipped(subject, 'needs no credentials');
  const answer = await checkCredentials(signal);
  if (answer === 'accepted') return ok(subject, 'accepts the credentials');
  if (answer === 'refused')
    return failed(subject, 'refuses the credentials: messages wait until they expire', 'Correct the credentials of the account');
  return warning(subject, `did not answer as expected (${answer.unclear})`, 'Look at the status page of the provider, and try again');
}
