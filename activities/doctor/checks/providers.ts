/** The accounts with providers: whether each one takes the credentials. Sends nothing. */
import type { ProviderAccount } from '../../../models/rules/routing/provider-kinds.js';
import { servingAccounts } from '../../../models/rules/routing/route.js';
import { callbackSecretOf } from '../../../models/settings/provider-account.js';
import { createProviders } from '../../handoff/providers/index.js';
import type { Provider } from '../../handoff/providers/provider.js';
import { type Check, failed, type Finding, ok, skipped, warning } from '../check.js';

export const providersCheck: Check = {
  subject: 'providers',
  fix: 'Check the settings PROVIDER_*',
  async run({ config, db, signal }) {
    const { accounts } = createProviders(config, { db, delayMs: 0, onTaken: () => undefined });
    const serving = servingAccounts(config.routes);
    const findings = await Promise.all(
      [...accounts.values()].map((provider) => accountFinding(provider, { isServing: serving.has(provider.name), signal })),
    );
    return [...findings, ...topicFindings(config.accounts), ...formerSecretFindings(config.accounts)];
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

/** Accounts that still accept callbacks made with a former secret. Perhaps it was replaced because others know it. */
export const formerSecretFindings = (accounts: readonly ProviderAccount[]): Finding[] =>
  accounts.flatMap((account) => {
    const secret = callbackSecretOf(account);
    if (secret?.former === undefined) return [];
    const setting = `${secret.setting}_OLD`;
    const fix = `Remove ${setting} a week after the carrier changed over to the new one`;
    return [warning(`former secret of ${account.name}`, `callbacks made with ${setting} are accepted`, fix)];
  });

/** @param isServing false: no channel uses the account any more, but reports about its messages may come */
export async function accountFinding(
  { name, checkCredentials }: Pick<Provider, 'name' | 'checkCredentials'>,
  { isServing, signal }: { isServing: boolean; signal: AbortSignal },
): Promise<Finding> {
  const subject = `provider ${name}`;
  if (checkCredentials === undefined) return skipped(subject, 'needs no credentials');
  const answer = await checkCredentials(signal);
  if (answer === 'accepted') return ok(subject, 'accepts the credentials');
  if (answer === 'refused' && !isServing)
    return warning(
      subject,
      'refuses the credentials, but no channel uses it',
      'Remove its settings when no more reports about its messages arrive',
    );
  if (answer === 'refused')
    return failed(subject, 'refuses the credentials: messages wait until they expire', 'Correct the credentials of the account');
  return warning(subject, `did not respond as expected (${answer.unclear})`, 'Look at the status page of the carrier, and try again');
}
