/** Why somebody is not written to any more, and what makes it so. */
import { type Channel, channelTraits } from '../../channels.js';
import type { ReportStatus } from '../messages/status.js';

/** Error code of a message whose recipient is suppressed, on our list or on the provider's own (docs/contract/messages.md). */
export const suppressedCode = 'suppressed';

export const suppressionReasons = ['opt_out', 'complaint', 'bounce', 'manual'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** Who said so: the workspace, the recipient in a message, the provider at hand-off, a delivery report, a link in a mail. */
export const suppressionSources = ['api', 'inbound', 'provider', 'report', 'unsubscribe'] as const;
export type SuppressionSource = (typeof suppressionSources)[number];

/** A mailbox that was gone may be back: another bounce begins another such time. What people said holds until they say otherwise. */
const bounceDays = 30;

/** When a suppression for this reason ends by itself; null: never. */
export const expiryOf = (reason: SuppressionReason, from: Date): Date | null =>
  reason === 'bounce' ? new Date(from.getTime() + bounceDays * 86_400_000) : null;

/** True for a report that suppresses the recipient. Not on phone channels: what carriers report there is often temporary. */
export const isHardBounce = (report: {
  channel: Channel;
  status: ReportStatus;
  error_code: string | null;
  is_permanent: boolean;
}): boolean =>
  channelTraits[report.channel].suppressesBounces &&
  report.status === 'failed' &&
  report.is_permanent &&
  (report.error_code === '30006' || report.error_code === '30008');

/** The reason when a provider refuses a recipient that is on its own list. Lists of mail providers hold mostly bounces. */
export const refusalReason = (channel: Channel): SuppressionReason => (channelTraits[channel].suppressesBounces ? 'bounce' : 'opt_out');

/** The recipient has asked for it himself, by STOP, a complaint or the link in a mail: only he can take it back. */
export const isRecipients = ({ reason, source }: { reason: SuppressionReason; source: SuppressionSource }): boolean =>
  (reason === 'opt_out' || reason === 'complaint') && source !== 'api';

/** SQL: the same, of a row by this name. */
export const isByRecipient = (row: string) => `(${row}.reason IN ('opt_out', 'complaint') AND ${row}.source <> 'api')`;

/** What a message fails with whose recipient is suppressed; see `suppressedCode`. */
export const suppressedTexts: Readonly<Record<SuppressionReason, string>> = {
  opt_out: 'The recipient has opted out',
  complaint: 'The recipient complained about an earlier message',
  bounce: 'An earlier message to this recipient bounced',
  manual: 'The recipient is on the suppression list',
};

// The words that carriers act on themselves. YES is theirs too and is not taken: it answers many questions.
const stopWords = new Set(['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'OPT OUT']);
const startWords = new Set(['START', 'UNSTOP']);

/** What somebody asks for who writes this, and nothing else, to one of our senders; null for everything else. */
export function keywordOf(text: string): 'stop' | 'start' | null {
  const word = text
    .trim()
    .toUpperCase()
    .replace(/^["'«“]+|["'»”.!]+$/gu, '')
    .replaceAll(/[\s-]+/g, ' ')
    .trim();
  return stopWords.has(word) ? 'stop' : startWords.has(word) ? 'start' : null;
}
