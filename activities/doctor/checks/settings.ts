/** Valid settings that do not fit together, weak secrets, and former secrets. The API logs the first two when it starts. */
import { configWarnings } from '../../../models/settings/config-warnings.js';
import { type Check, type CheckDeps, type Finding, warning } from '../check.js';

export const settingsCheck: Check = {
  subject: 'settings',
  fix: 'Check the settings PROVIDER_* and STRIPE_*',
  run: async ({ config }) => [
    ...configWarnings(config).map(({ text, ...found }) => ({ ...found, detail: text })),
    ...formerKeyFindings(config),
  ],
};

/** Former values that are still accepted. Perhaps one was replaced because others know it. */
export function formerKeyFindings({ jwtSecret, jwtSecrets, secretKey, secretKeys }: CheckDeps['config']): Finding[] {
  const findings: Finding[] = [];
  if (jwtSecrets.some((each) => each !== jwtSecret))
    findings.push(
      warning(
        'former JWT_SECRET',
        'JWTs that a value of JWT_SECRETS_OLD signed are accepted',
        'Remove JWT_SECRETS_OLD 30 days after the change, or at once after a leak',
      ),
    );
  if (secretKeys.some((each) => each !== secretKey))
    findings.push(
      warning(
        'former SECRET_KEY',
        'API keys, links and callbacks made with a value of SECRET_KEYS_OLD are accepted',
        'Run npm run reencrypt, and remove SECRET_KEYS_OLD when no key and no link needs it. After a leak, see docs/security.md',
      ),
    );
  return findings;
}
