/** Which provider serves which channel. */
import type { Config } from '../../models/config.js';
import type { ProviderAccount } from '../../models/provider-account.js';
import type { Provider, Providers } from './provider.js';
import { withUnsubscribe } from './unsubscribe-headers.js';
import { type SandboxDeps, sandboxAdapter } from './sandbox.js';

/** The provider of one account. */
function createProvider(account: ProviderAccount, sandbox: SandboxDeps): Provider {
  if (account.kind === 'sandbox') return sandboxAdapter(sandbox);
  throw new Error(`no provider is called ${account.kind}`);
}

/** The providers that the settings name. */
export function createProviders(
  config: Pick<Config, 'providers' | 'accounts' | 'secretKey' | 'publicUrl'>,
  sandbox: SandboxDeps,
): Providers {
  const { providers, accounts } = config;
  const byName = new Map(accounts.map((account) => [account.name, createProvider(account, sandbox)]));
  const named = (name: string): Provider => {
    const provider = byName.get(name);
    if (provider === undefined) throw new Error(`no provider is called ${name}`);
    return provider;
  };
  return { sms: named(providers.sms), whatsapp: named(providers.whatsapp), email: withUnsubscribe(named(providers.email), config) };
}
