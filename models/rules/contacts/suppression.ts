/** The reasons why a recipient must not get messages, and the rules for them. */
import { type Channel, channelTraits } from '../../channels.js';
import type { ReportStatus } from '../messages/status.js';

/** The error code of a message to a suppressed recipient, on our list or on the provider's own (docs/contract/messages.md). */
export const suppressedCode = 'suppressed';

export const suppressionReasons = ['opt_out', 'complaint', 'bounce', 'manual'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** Who caused it: the workspace, the recipient in a message, the provider at hand-off, a delivery report, a link in a mail. */
export const suppressionSources = ['api', 'inbound', 'provider', 'report', 'unsubscribe'] as const;
export type SuppressionSource = (typeof suppressionSources)[number];

/** A mailbox that did not exist may exist again. Another bounce starts the period again. An opt-out has no end. */
const bounceDays = 30;

/** When a suppression with this reason expires; null: never. */
export const expiryOf = (reason: SuppressionReason, from: Date): Date | null =>
  reason === 'bounce' ? new Date(from.getTime() + bounceDays * 86_400_000) : null;

/** No such mailbox, or an address on the provider's own list. */
const bounceCodes = new Set<string | null>(['30006', '30008', suppressedCode]);

/** Whether a report suppresses the recipient. Never on phone channels, where reports of carriers are often temporary. */
export const isHardBounce = (report: {
  channel: Channel;
  status: ReportStatus;
  error_code: string | null;
  is_permanent: boolean;
}): boolean =>
  channelTraits[report.channel].suppressesBounces &&
  report.status === 'failed' &&
  report.is_permanent &&
  bounceCodes.has(report.error_code);

/** The reason if a provider refuses a recipient that is on its own list. The lists of mail providers contain mostly bounces. */
export const refusalReason = (channel: Channel): SuppressionReason => (channelTraits[channel].suppressesBounces ? 'bounce' : 'opt_out');

/** The recipient asked for it, by STOP, a complaint or the link in a mail. Only the recipient or the operator can remove it. */
export const isByRecipient = ({ reason, source }: { reason: SuppressionReason; source: SuppressionSource }): boolean =>
  (reason === 'opt_out' || reason === 'complaint') && source !== 'api';

/** SQL: the same, for the row with this name. */
// Stryker disable next-line all: tests with a database run it
export const isByRecipientInSql = (row: string) => `(${row}.reason IN ('opt_out', 'complaint') AND ${row}.source <> 'api')`;

/** The error texts of messages to suppressed recipients; see `suppressedCode`. */
export const suppressedTexts: Readonly<Record<SuppressionReason, string>> = {
  opt_out: 'The recipient has opted out',
  complaint: 'The recipient complained about an earlier message',
  bounce: 'An earlier message to this recipient bounced',
  manual: 'The recipient is on the suppression list',
};

/** The same text for a recipient on the provider's own list, who may have bounced, complained or opted out. */
export const onProvidersList = "The recipient is on the carrier's suppression list";
