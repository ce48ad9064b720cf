/** Hints: what to do about a fault whose text is fixed by the contract and cannot say it itself. */
import { type Fault, faultTexts } from '../../../models/errors.js';
import { phoneText } from '../../../models/rules/messages/recipient.js';
import { httpsText, privateText } from '../../../models/rules/webhooks/webhook-url.js';

const ownMachine = 'For a receiver on your own machine see docs/webhooks.md, "On your own machine"';

const hints: ReadonlyMap<string, string> = new Map([
  [phoneText, 'A plus sign, the country code and the number without spaces, for example +15551234567'],
  [faultTexts.date, 'ISO 8601 with a time zone, for example 2026-11-21T10:00:00Z'],
  [faultTexts.cursor, 'Use next_cursor of the previous response, with the same path and filters'],
  [faultTexts.mailToken, 'Use the whole token of the newest mail'],
  [httpsText, ownMachine],
  [privateText, `The operator allows private networks with the setting WEBHOOK_ALLOWED_NETWORKS. ${ownMachine}`],
]);

/**
 * The part of an error body that tells of faults. `details` are exactly field and message (decisions §1). `hints` are there if a fault has one:
 * each text once, in the order of the faults.
 */
export function shownFaults(faults: readonly Fault[] | undefined): { details?: Omit<Fault, 'hint'>[]; hints?: string[] } {
  if (faults === undefined) return {};
  const given = new Set(faults.flatMap(({ message, hint = hints.get(message) }) => hint ?? []));
  return { details: faults.map(({ field, message }) => ({ field, message })), ...(given.size === 0 ? {} : { hints: [...given] }) };
}
