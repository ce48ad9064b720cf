/** Maps the error codes of providers to ours. Each provider has a table in a file beside this one. A code that is not in it is `undeliverable`. */
import type { FailureCode } from '../messages/error-codes.js';

export interface ProviderFailure {
  code: FailureCode;
  /** The same message to the same recipient would fail again. */
  isPermanent: boolean;
  /** It depends on the recipient, such as a limit of one mailbox. The account works for others. */
  concernsRecipient?: true;
}

export type FailureTable = Readonly<Record<string, ProviderFailure>>;

/** A permanent failure. */
export const hard = (code: FailureCode): ProviderFailure => ({ code, isPermanent: true });
/** A temporary failure. */
export const soft = (code: FailureCode): ProviderFailure => ({ code, isPermanent: false });

/** An opt-out, which the recipient may take back. It is reported apart and has an entry of its own, so it is no bounce. */
export const optedOut: ProviderFailure = soft('suppressed');

/** The same failure, which says nothing about the account. */
export const ofRecipient = (failure: ProviderFailure): ProviderFailure => ({ ...failure, concernsRecipient: true });

/** Our failure for a provider's code. */
export const lookUp = (table: FailureTable, code: string | null): ProviderFailure =>
  (code !== null && Object.hasOwn(table, code) ? table[code] : undefined) ?? soft('undeliverable');
