/** Suppressions in words. */
import type { Schema } from '../../api/call.js';

export type Suppression = Schema<'Suppression'>;
type Reason = Suppression['reason'];

export const reasonTexts: Readonly<Record<Reason, string>> = {
  opt_out: 'opted out',
  complaint: 'complained',
  bounce: 'bounced',
  manual: 'added by hand',
};
export const reasons = Object.keys(reasonTexts) as Reason[];

export const sourceTexts: Readonly<Record<Suppression['source'], string>> = {
  api: 'recorded by this workspace',
  inbound: 'reported by a message of the recipient',
  provider: 'reported by the carrier',
  report: 'reported by a delivery report',
  unsubscribe: 'reported by the unsubscribe link in an e-mail',
};

/** Only the recipient can end what the recipient asked for: the API refuses to remove it. */
export const isByRecipient = ({ reason, source }: Suppression): boolean =>
  (reason === 'opt_out' || reason === 'complaint') && source !== 'api';
