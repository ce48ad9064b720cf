/** Which provider serves which channel. */
import type { Config } from '../../models/config.js';
import type { Provider, Providers } from './provider.js';
import { type SandboxDeps, sandboxAdapter } from './sandbox.js';

/** The providers that the settings name. */
export function createProviders(config: Pick<Config, 'providers'>, sandbox: SandboxDeps): Providers {
  const byName: Readonly<Record<string, Provider>> = { sandbox: sandboxAdapter(sandbox) };
  const named = (name: string): Provider => {
    const provider = byName[name];
    if (provider === undefined) throw new Error(`no provider is called ${name}`);
    return provider;
  };
  return { sms: named(config.providers.sms), whatsapp: named(config.providers.whatsapp), email: named(config.providers.email) };
}
