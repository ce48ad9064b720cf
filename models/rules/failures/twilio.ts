/** Codes of Twilio: refusals by the API (2xxxx) and outcomes in reports (3xxxx, 63xxx of WhatsApp). https://www.twilio.com/docs/api/errors */
import { type FailureTable, hard, ofRecipient, soft } from './provider-failure.js';

export const twilioFailures: FailureTable = {
  '21211': hard('30008'), // invalid To
  '21212': hard('sender_refused'), // invalid From
  '21217': hard('30008'),
  '21265': hard('30008'), // a short code as recipient
  '21408': hard('region_not_permitted'),
  '21421': hard('30008'),
  '21601': hard('sender_refused'), // From cannot send messages
  '21602': hard('invalid_content'), // no body
  '21603': hard('sender_refused'), // no From
  '21604': hard('30008'), // no To
  '21606': ofRecipient(hard('sender_refused')), // From is not our number, or not for this country
  '21607': hard('sender_refused'), // not the sender of a trial account
  '21608': soft('sender_refused'), // a trial account may write to verified numbers only
  '21610': hard('suppressed'), // the recipient answered STOP to this sender
  '21612': hard('30008'), // To cannot be reached from this From
  '21614': hard('30006'), // not a mobile number
  '21617': hard('invalid_content'), // too long
  '21619': hard('invalid_content'),
  '21635': hard('30006'), // a landline
  '21655': hard('invalid_template'), // no such content
  '21656': hard('invalid_template'), // variables that do not match the content
  '21659': ofRecipient(hard('sender_refused')), // From is not our number, or a short code of another country
  '21660': hard('sender_refused'), // From belongs to another account
  '21701': hard('sender_refused'), // no such messaging service
  '21703': hard('sender_refused'), // the messaging service has no sender
  '21705': hard('sender_refused'), // invalid messaging service
  '30001': soft('limit_exceeded'), // queue overflow
  '30002': soft('sender_refused'), // account suspended
  '30003': soft('30006'), // handset switched off or out of reach
  '30004': soft('30006'), // blocked by the recipient or the carrier
  '30005': hard('30008'), // unknown handset (docs/contract/messages.md)
  '30006': hard('30006'),
  '30007': soft('30007'),
  '30008': soft('undeliverable'), // Twilio's 30008 is "unknown error", ours an unknown destination
  '30010': soft('30034'), // price above the maximum (docs/contract/messages.md)
  '30022': soft('limit_exceeded'),
  '30023': soft('limit_exceeded'),
  '30024': soft('sender_refused'),
  '30027': soft('limit_exceeded'),
  '30032': hard('sender_refused'), // toll-free number not verified
  '30034': hard('sender_refused'), // unregistered US traffic; our 30034 has another meaning
  '30036': soft('limit_exceeded'), // waited too long in the queue of the sender
  '30410': soft('30006'), // the next provider did not answer in time
  '30450': soft('30007'),
  '63001': soft('sender_refused'),
  '63003': hard('30008'), // no such WhatsApp user
  '63005': hard('invalid_content'),
  '63007': hard('sender_refused'),
  '63013': hard('30007'), // against the policy of the channel
  '63016': soft('outside_window'),
  '63018': soft('limit_exceeded'),
  '63021': hard('invalid_content'),
  '63024': hard('30008'),
  '63027': hard('invalid_template'),
  '63028': hard('invalid_template'), // wrong number of variables
  '63032': ofRecipient(soft('limit_exceeded')), // WhatsApp holds back messages to this user
  '63038': soft('limit_exceeded'),
  '63049': ofRecipient(soft('limit_exceeded')), // Meta holds back marketing messages to this user
};

/** The API asks for a retry later. */
export const twilioThrottles: ReadonlySet<number> = new Set([20429, 14107, 21611]); // 21611: the sender's queue is full
