/** What a workspace may not do, judged by what is known of it since its credential was looked up. */
import type { Channel } from '../../models/channels.js';
import type { Config } from '../../models/settings/config.js';
import { type AppError, type Fault, insufficientCredits, invalid, spendLimitReached, suspended, unverified } from '../../models/errors.js';
import type { Funds } from '../../models/operations/billing/standing.js';
import { hasPhoneNumbers } from '../../models/rules/messages/recipient.js';
import { faultOfCountry } from '../../models/rules/messages/phone-country.js';
import type { Caller } from '../http/caller.js';

/** @throws AppError 403 when it is suspended, or unverified while messages leave the house */
export function assertMaySend({ isSuspended, isVerified }: Caller, { isSandboxOnly }: Pick<Config, 'isSandboxOnly'>): void {
  if (isSuspended) throw suspended();
  if (!isVerified && !isSandboxOnly) throw unverified();
}

/** Why `cost` cannot be paid; null when it can. */
export function refusalOfCost(cost: number, { balance, spend_left }: Funds): AppError | null {
  if (balance < cost) return insufficientCredits(cost, balance);
  return spend_left !== null && spend_left < cost ? spendLimitReached() : null;
}

/** @throws AppError 402 when it is known without asking that the debit will be refused */
export function assertAffordable({ balance, spendLeft }: Caller, cost: number): void {
  const refusal = refusalOfCost(cost, { balance, spend_left: spendLeft });
  if (refusal !== null) throw refusal;
}

/** One recipient of a request and the field that names him. */
interface Named {
  field: string;
  channel: Channel;
  to: string;
}

/** The recipients that are in a country which the workspace has not allowed. */
export function faultsOfCountries({ allowedCountries }: Caller, named: readonly Named[]): Fault[] {
  if (allowedCountries === null) return [];
  return named.flatMap(({ field, channel, to }) => {
    const message = hasPhoneNumbers(channel) ? faultOfCountry(allowedCountries, to) : null;
    return message === null ? [] : [{ field, message }];
  });
}

/** @throws AppError 400 with every recipient who is in such a country */
export function assertCountries(caller: Caller, named: readonly Named[]): void {
  const faults = faultsOfCountries(caller, named);
  if (faults.length > 0) throw invalid(faults);
}
