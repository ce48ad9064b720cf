/** The reader of the callbacks of each provider. */
import type { AccountOf, ProviderAccount } from '../routing/provider-kinds.js';
import type { CallbackReader } from './callback.js';
import { readMetaCallback } from './meta.js';
import { readPostmarkCallback } from './postmark.js';
import { readSandboxCallback } from './sandbox.js';
import { readSendgridCallback } from './sendgrid.js';
import { readSesCallback } from './ses.js';
import type { CertificateAt } from './sns.js';
import { readTwilioCallback } from './twilio.js';

/**
 * Verifies and reads the callbacks of an account; null if its provider has none.
 * @param secretKey our own: the sandbox signs with it
 * @param accounts all accounts, because some share a callback URL
 */
export function readerOf(
  account: ProviderAccount,
  { secretKey, accounts, certificateAt }: { secretKey: string; accounts: readonly ProviderAccount[]; certificateAt: CertificateAt },
): CallbackReader | null {
  switch (account.kind) {
    case 'sandbox':
      return (request) => readSandboxCallback(secretKey, request);
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
