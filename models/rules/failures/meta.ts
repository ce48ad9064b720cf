/** Codes of the WhatsApp Cloud API. https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
import { type FailureTable, hard, ofRecipient, soft } from './provider-failure.js';

export const metaFailures: FailureTable = {
  '100': hard('invalid_content'), // invalid parameter
  '368': soft('sender_refused'), // blocked for violating the policy
  '130472': soft('undeliverable'), // the recipient's number is part of an experiment by Meta
  '130497': hard('region_not_permitted'),
  '131008': hard('invalid_content'),
  '131009': hard('invalid_content'),
  '131021': hard('30008'), // the sender itself
  '131026': soft('30008'), // not a WhatsApp user, or a client that is too old
  '131030': hard('30008'), // not on the allow-list of a test number
  '131031': soft('sender_refused'), // account locked
  '131037': soft('sender_refused'), // display name not approved
  '131042': soft('sender_refused'), // payment
  '131045': soft('sender_refused'), // the sender is not registered
  '131047': soft('outside_window'),
  '131049': ofRecipient(soft('limit_exceeded')), // held back by Meta's limit on marketing messages
  '131050': hard('suppressed'), // wants no marketing messages; we do not know the kind of a message
  '131051': hard('invalid_content'),
  '131052': hard('invalid_content'),
  '131053': hard('invalid_content'),
  '132000': hard('invalid_template'), // wrong number of parameters
  '132001': hard('invalid_template'), // no such template in that language
  '132005': hard('invalid_template'), // too long with its values
  '132007': hard('invalid_template'),
  '132012': hard('invalid_template'), // wrong format of a parameter
  '132015': soft('invalid_template'), // paused for low quality
  '132016': hard('invalid_template'), // disabled for low quality
  '132018': hard('invalid_template'), // a parameter with line breaks, tabs or more than four spaces in a row
  '132068': soft('invalid_template'),
  '132069': soft('invalid_template'),
  '133010': soft('sender_refused'), // phone number not registered
  '134011': soft('sender_refused'),
  '135000': hard('invalid_content'),
};

/** Retry later: rate limits of the app and the account, or an account under maintenance. */
export const metaThrottles: ReadonlySet<number> = new Set([4, 80007, 130429, 131057, 133016]);
/** Not accepted, whatever the HTTP status (that of 3 is 500): a rejected credential, no permission, or a phone number that was deleted (33). */
export const metaAccessFaults: ReadonlySet<number> = new Set([0, 3, 10, 33, 190, 200, 131005]);
/** An internal error. Not accepted, unless the HTTP status leaves it open. */
export const metaInternalErrors: ReadonlySet<number> = new Set([1, 2, 131016, 133004]);
/**
 * Not accepted: the sender is restricted, because too many recipients blocked it or reported spam. This is no wait for capacity: it lasts until
 * the quality of the sender improves, so the time for the hand-off counts.
 */
export const metaSpamLimit = 131048;
/** Not accepted: too many messages to this recipient. */
export const metaPairLimit = 131056;
