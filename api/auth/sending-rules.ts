/** Checks whether a workspace may send, with the data that were read together with its credential. */
import type { Channel } from '../../models/channels.js';
import type { Config } from '../../models/settings/config.js';
import {
  type AppError,
  type Fault,
  insufficientCredits,
  invalid,
  keyChannelRefused,
  spendLimitReached,
  suspended,
  unverified,
} from '../../models/errors.js';
import type { Funds } from '../../models/operations/billing/standing.js';
import { mustBeVerified } from '../../models/rules/accounts/signup-policy.js';
import { hasPhoneNumbers } from '../../models/rules/messages/recipient.js';
import { faultOfCountry } from '../../models/rules/messages/phone-country.js';
import type { Caller } from '../http/caller.js';

/** @throws AppError 403 when the workspace is suspended, or when its e-mail is unverified although real carriers or SIGNUP require that */
export function assertMaySend({ isSuspended, isVerified }: Caller, config: Pick<Config, 'isSandboxOnly' | 'signup'>): void {
  if (isSuspended) throw suspended();
  if (!isVerified && mustBeVerified(config)) throw unverified();
}

/** @throws AppError 403 when the caller's key may not send on one of these channels */
export function assertChannels({ channels: allowed }: Pick<Caller, 'channels'>, wanted: readonly Channel[]): void {
  if (allowed === null) return;
  for (const channel of wanted) if (!allowed.includes(channel)) throw keyChannelRefused(channel);
}

/** The error when the workspace cannot pay `cost`; null when it can. */
export function costError(cost: number, { balance, spend_left }: Funds): AppError | null {
  if (balance < cost) return insufficientCredits(cost, balance);
  return spend_left !== null && spend_left < cost ? spendLimitReached() : null;
}

/** @throws AppError 402 when the debit would be refused, so that the send can stop before the database is used */
export function assertCanPay({ balance, spendLeft }: Caller, cost: number): void {
  const error = costError(cost, { balance, spend_left: spendLeft });
  if (error !== null) throw error;
}

/** A recipient, and the request field that names it. */
interface RecipientField {
  field: string;
  channel: Channel;
  to: string;
}

/** One fault for each recipient in a country that the workspace does not allow. */
export function countryFaults({ allowedCountries }: Caller, recipients: readonly RecipientField[]): Fault[] {
  if (allowedCountries === null) return [];
  return recipients.flatMap(({ field, channel, to }) => {
    const message = hasPhoneNumbers(channel) ? faultOfCountry(allowedCountries, to) : null;
    return message === null ? [] : [{ field, message }];
  });
}

/** @throws AppError 400 with one fault for each recipient in a country that the workspace does not allow */
export function assertAllowedCountries(caller: Caller, recipients: readonly RecipientField[]): void {
  const faults = countryFaults(caller, recipients);
  if (faults.length > 0) throw invalid(faults);
}
