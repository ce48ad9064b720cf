import type { Counterpart } from './counterpart.js';
import { metaEnv } from './meta.js';
import { postmarkEnv } from './postmark.js';
import { sendgridEnv } from './sendgrid.js';
import { sesEnv } from './ses.js';
import { twilioEnv } from './twilio.js';

/** Accounts at all carriers that have credentials. A test of the doctor names a carrier that is missing. */
export const everyCarrierEnv = (counterpart: Pick<Counterpart, 'url'>): Record<string, string> => ({
  ...twilioEnv(counterpart),
  ...metaEnv(counterpart),
  ...postmarkEnv(counterpart),
  ...sesEnv(counterpart),
  ...sendgridEnv(counterpart),
  PROVIDER_WHATSAPP: 'meta,twilio',
  PROVIDER_EMAIL: 'sendgrid,postmark,ses',
});
