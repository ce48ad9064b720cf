/** A provider whose every answer a test decides, and which remembers how it was called. */
import type { OutgoingMessage, Provider, Providers, SendOutcome } from '../../activities/providers/provider.js';

export interface StubProvider extends Provider {
  /** Ids of the messages it was called with, in order. */
  calls: string[];
}

/** Answers each call with the outcome that `decide` gives; the default takes everything. */
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
    calls,
    async send(message) {
      calls.push(message.id);
      return decide(message, calls.length);
    },
    fetchStatus: () => Promise.resolve(null),
    ...overrides,
  };
}

/** The same provider on every channel. */
export const everywhere = (provider: Provider): Providers => ({ sms: provider, whatsapp: provider, email: provider });
