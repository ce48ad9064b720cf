/** Creates the providers of the configured accounts. */
import type { Config } from '../../../models/settings/config.js';
import { handoffUnknown } from '../../../models/rules/messages/error-codes.js';
import type { ProviderAccount } from '../../../models/rules/routing/provider-kinds.js';
import { servingAccounts } from '../../../models/rules/routing/route.js';
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

/**
 * An account that serves no channel any more is still queried about its messages, but sends nothing. A message that it certainly did not take
 * fails and is refunded. An idempotent account is called again in place of a query.
 */
const withoutSending = (provider: Provider): Provider =>
  provider.idempotent ? provider : { ...provider, send: async () => ({ outcome: 'rejected', ...handoffUnknown }) };

/** Creates the configured accounts and the routes of each channel. */
export function createProviders(config: Pick<Config, 'routes' | 'accounts' | 'secretKey' | 'publicUrl'>, sandbox: SandboxDeps): Providers {
  const { accounts, routes, publicUrl } = config;
  const serving = servingAccounts(routes);
  const built = accounts.map((account) => {
    const provider = createProvider(account, publicUrl, sandbox);
    return serving.has(account.name) ? withUnsubscribe(provider, config) : withoutSending(provider);
  });
  return { accounts: new Map(built.map((provider) => [provider.name, provider])), routes };
}
