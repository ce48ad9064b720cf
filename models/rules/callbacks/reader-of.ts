/** The reader of the callbacks of each provider. */
import type { AccountOf, ProviderAccount } from '../routing/provider-kinds.js';
import { hasStorableTexts } from '../values/text.js';
import { hasUsualYear } from '../values/timestamp.js';
import type { CallbackEvent, CallbackReader } from './callback.js';
import { readMetaCallback } from './meta.js';
import { readPostmarkCallback } from './postmark.js';
import { readSandboxCallback } from './sandbox.js';
import { readSendgridCallback } from './sendgrid.js';
import { readSesCallback } from './ses.js';
import type { CertificateAt } from './sns.js';
import { readTwilioCallback } from './twilio.js';

interface ReaderTools {
  /** Our own, the present one first: the sandbox signs with one of them. */
  secretKeys: readonly string[];
  /** All accounts, because some share a callback URL. */
  accounts: readonly ProviderAccount[];
  certificateAt: CertificateAt;
}

/** Verifies and reads the callbacks of an account; null if its provider has none. */
export function readerOf(account: ProviderAccount, tools: ReaderTools): CallbackReader | null {
  const read = providersReader(account, tools);
  return read && (async (request) => storable(await read(request), request.at));
}

/**
 * Leaves out events with texts that PostgreSQL cannot store. No carrier has such ids or addresses, and the other events of the request must
 * not fail with them. A time that it cannot store becomes that of the request. What a person wrote may contain anything, and is not stored.
 */
const storable = (events: readonly CallbackEvent[], at: Date): CallbackEvent[] =>
  events
    .filter((event) => hasStorableTexts(event.kind === 'inbound' ? { ...event, text: '' } : event))
    .map((event) =>
      'occurred_at' in event && event.occurred_at !== null && !hasUsualYear(event.occurred_at) ? { ...event, occurred_at: at } : event,
    );

function providersReader(account: ProviderAccount, { secretKeys, accounts, certificateAt }: ReaderTools): CallbackReader | null {
  switch (account.kind) {
    case 'sandbox':
      return (request) => readSandboxCallback(secretKeys, request);
    case 'twilio':
      return (request) => readTwilioCallback(account, request);
    case 'meta':
      return (request) => readMetaCallback(account, accounts.filter(isMeta), request);
    case 'postmark':
      return (request) => readPostmarkCallback(account, request);
    case 'sendgrid':
      return (request) => readSendgridCallback(account, request);
    case 'ses':
      return (request) => readSesCallback(account, request, certificateAt);
    case 'smtp':
      return null;
  }
}

const isMeta = (account: ProviderAccount): account is AccountOf<'meta'> => account.kind === 'meta';
