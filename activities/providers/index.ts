/** Which provider serves which channel. */
import type { Config } from '../../models/config.js';
import type { ProviderAccount } from '../../models/provider-account.js';
import { metaAdapter } from './meta.js';
import { postmarkAdapter } from './postmark.js';
import type { Provider, Providers } from './provider.js';
import { withUnsubscribe } from './unsubscribe-headers.js';
import { type SandboxDeps, sandboxAdapter } from './sandbox.js';
import { sendgridAdapter } from './sendgrid.js';
import { sesAdapter } from './ses.js';
import { smtpAdapter } from './smtp.js';
import { twilioAdapter } from './twilio.js';

/** The provider of one account; every kind that the settings accept has its case, or this does not compile. */
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
      return smtpAdapter(account);
  }
}

/** The providers that the settings name. */
export function createProviders(
  config: Pick<Config, 'providers' | 'accounts' | 'secretKey' | 'publicUrl'>,
  sandbox: SandboxDeps,
): Providers {
  const { providers, accounts } = config;
  const byName = new Map(accounts.map((account) => [account.name, createProvider(account, config.publicUrl, sandbox)]));
  const named = (name: string): Provider => {
    const provider = byName.get(name);
    if (provider === undefined) throw new Error(`no provider is called ${name}`);
    return provider;
  };
  return { sms: named(providers.sms), whatsapp: named(providers.whatsapp), email: withUnsubscribe(named(providers.email), config) };
}
