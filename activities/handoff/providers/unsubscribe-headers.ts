import type { Config } from '../../../models/settings/config.js';
import { unsubscribeHeaders, unsubscribeToken } from '../../../models/rules/contacts/unsubscribe.js';
import type { Provider } from './provider.js';

/** Adds the headers of one-click unsubscription to mails that request them. */
export function withUnsubscribe(provider: Provider, { secretKey, publicUrl }: Pick<Config, 'secretKey' | 'publicUrl'>): Provider {
  return {
    ...provider,
    send: (message, signal) => {
      if (message.content.unsubscribe !== true) return provider.send(message, signal);
      const headers = { ...message.headers, ...unsubscribeHeaders(publicUrl, unsubscribeToken(secretKey, message.id)) };
      return provider.send({ ...message, headers }, signal);
    },
  };
}
