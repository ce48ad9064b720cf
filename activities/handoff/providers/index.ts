/** Creates the providers of the configured accounts. */
import type { Config } from '../../../models/settings/config.js';
import type { ProviderAccount } from '../../../models/rules/routing/provider-kinds.js';
import { metaAdapter } from './meta.js';
import { postmarkAdapter } from './postmark.js';
import type { Provider, Providers } from './provider.js';
import { withUnsubscribe } from './unsubscribe-headers.js';
import { type SandboxDeps, sandboxAdapter } from './sandbox.js';
import { sendgridAdapter } from './sendgrid.js';
import { sesAdapter } from './ses.js';
import { smtpAdapter } from './smtp.js';
import { twilioAdapter } from './twilio.js';

/** Creates the provider of one account. The compiler requires a case for every kind that the settings accept. */
function createProvider(account: ProviderAccount, publicUrl: string, sandbox: SandboxDeps): Provider {
  switch (account.kind) {
    case 'sandbox':
      return sandboxAdapter(sandbox);
    case 'twilio':
      return twilioAdapter(account, `${publicUrl}/callbacks/${account.name}`);
    case 'meta':
      return metaAdapter(account);
    case 'postmark':
      return postmarkAdapter(account);
    case 'sendgrid':
      return sendgridAdapter(account);
    case 'ses':
      return sesAdapter(account);
    case 'smtp':
      return smtpAdapter(account, publicUrl);
  }
}

/** Creates the configured accounts and the routes of each channel. */
export function createProviders(config: Pick<Config, 'routes' | 'accounts' | 'secretKey' | 'publicUrl'>, sandbox: SandboxDeps): Providers {
  const { accounts, routes, publicUrl } = config;
  const built = accounts.map((account) => withUnsubscribe(createProvider(account, publicUrl, sandbox), config));
  return { accounts: new Map(built.map((provider) => [provider.name, provider])), routes };
}
