/** The life of a message as data: which statuses exist and which moves are allowed (docs/contract/messages.md, Statuses). */
export const publicStatuses = ['queued', 'sent', 'delivered', 'failed', 'read'] as const;
export type PublicStatus = (typeof publicStatuses)[number];
/** `accepting`: stored, not yet debited; never shown. */
export type Status = PublicStatus | 'accepting';

export type StatusDetail =
  | 'scheduled'
  | 'accepted'
  | 'sending'
  | 'awaiting_report'
  | 'delivered'
  | 'read'
  | 'rejected'
  | 'undeliverable'
  | 'expired'
  | 'cancelled'
  | 'suppressed'
  | 'unknown';

/**
 * Target status → the statuses it may be reached from. What is not listed is recorded in the inbox and not applied.
 * `failed → delivered` is the late correction of a carrier; `sent → read` means that `delivered` never came.
 */
export const movesInto: Readonly<Record<PublicStatus, readonly Status[]>> = {
  queued: ['accepting'],
  sent: ['queued'],
  delivered: ['sent', 'failed'],
  failed: ['queued', 'sent'],
  read: ['sent', 'delivered'],
};

/** SQL: the message by this name was handed off and waits for its report. */
export const isAwaitingReport = (message: string) => `${message}.status = 'sent' AND ${message}.status_detail <> 'unknown'`;

/** SQL: the message by this name waits for its acceptance, its hand-off or its report. */
export const isOpen = (message: string) => `(${message}.status IN ('accepting', 'queued') OR ${isAwaitingReport(message)})`;

/** The order in which reports that arrive together are applied, whatever order they came in. */
export const reportOrder = ['sent', 'delivered', 'failed', 'read'] as const;
export type ReportStatus = (typeof reportOrder)[number];
