/** Maps the error codes of providers to ours. Each provider has a table in a file beside this one. A code that is not in it is `undeliverable`. */
import type { FailureCode } from '../messages/error-codes.js';

export interface ProviderFailure {
  code: FailureCode;
  /** The same message to the same recipient would fail again. */
  isPermanent: boolean;
}

export type FailureTable = Readonly<Record<string, ProviderFailure>>;

/** A permanent failure. */
export const hard = (code: FailureCode): ProviderFailure => ({ code, isPermanent: true });
/** A temporary failure. */
export const soft = (code: FailureCode): ProviderFailure => ({ code, isPermanent: false });

/** Our failure for a provider's code. */
export const lookUp = (table: FailureTable, code: string | null): ProviderFailure =>
  (code !== null && Object.hasOwn(table, code) ? table[code] : undefined) ?? soft('undeliverable');
