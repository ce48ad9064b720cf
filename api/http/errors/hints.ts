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

/** The faults as shown. A hint is given once, with the first fault of its text. */
export function withHints(faults: readonly Fault[]): Fault[] {
  const given = new Set<string>();
  return faults.map((fault) => {
    const hint = fault.hint ?? hints.get(fault.message);
    if (hint === undefined || given.has(hint)) return fault;
    given.add(hint);
    return { ...fault, hint };
  });
}
