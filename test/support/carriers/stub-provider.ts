/** A provider whose results a test controls, and which records its calls. */
import { forEachChannel } from '../../../models/channels.js';
import { createLogger } from '../../../models/process/logger.js';
import type { OutgoingMessage, Provider, Providers, SendOutcome } from '../../../activities/handoff/providers/provider.js';

export interface StubProvider extends Provider {
  /** The ids of the messages of its calls, in order. */
  calls: string[];
}

/** Answers each call with the outcome of `decide`. By default it accepts every message. */
export function stubProvider(
  decide: (message: OutgoingMessage, call: number) => SendOutcome | Promise<SendOutcome> = ({ id }) => ({
    outcome: 'accepted',
    provider_message_id: `p-${id}`,
  }),
  overrides: Partial<Provider> = {},
): StubProvider {
  const calls: string[] = [];
  return {
    name: 'stub',
    idempotent: true,
    connectionsMax: Number.POSITIVE_INFINITY,
    calls,
    async send(message) {
      calls.push(message.id);
      return decide(message, calls.length);
    },
    ...overrides,
  };
}

/** A logger without output. */
export const silentLogger = createLogger('test', 'silent');

/** The same provider on every channel. */
export const everywhere = (provider: Provider): Providers => shared([provider]);

/** Providers that share every channel. The default weight is 1. */
export function shared(providers: readonly Provider[], weights: Readonly<Record<string, number>> = {}): Providers {
  const routes = providers.map(({ name }) => ({ account: name, weight: weights[name] ?? 1 }));
  return {
    accounts: new Map(providers.map((provider) => [provider.name, provider])),
    routes: forEachChannel(() => routes),
  };
}

/** The same providers, with another `send` for the sandbox. */
export function withSandbox({ accounts, routes }: Providers, send: (sandbox: Provider) => Provider['send']): Providers {
  const sandbox = accounts.get('sandbox');
  if (sandbox === undefined) throw new Error('there is no sandbox');
  return { accounts: new Map([...accounts, ['sandbox', { ...sandbox, send: send(sandbox) }]]), routes };
}
