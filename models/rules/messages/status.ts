/** The life cycle of a message as data: its statuses and the permitted transitions (docs/contract/messages.md, Statuses). */
export const publicStatuses = ['queued', 'sent', 'delivered', 'failed', 'read'] as const;
export type PublicStatus = (typeof publicStatuses)[number];
/** `accepting`: stored, and not yet debited. The API does not show it, operators' commands do. */
export type Status = PublicStatus | 'accepting';

export const statusDetails = [
  'scheduled',
  'accepted',
  'sending',
  'awaiting_report',
  'delivered',
  'read',
  'rejected',
  'undeliverable',
  'expired',
  'cancelled',
  'suppressed',
  'unknown',
] as const;
export type StatusDetail = (typeof statusDetails)[number];

/**
 * Target status → the statuses before it. A report for any other transition is recorded in the inbox and not applied. `failed → delivered`
 * is a late correction by a carrier. `sent → read` means that `delivered` never came.
 */
export const movesInto: Readonly<Record<PublicStatus, readonly Status[]>> = {
  queued: ['accepting'],
  sent: ['queued'],
  delivered: ['sent', 'failed'],
  failed: ['queued', 'sent'],
  read: ['sent', 'delivered'],
};

/** SQL: the message with this alias was handed off and waits for its report. */
// Stryker disable next-line all: tests with a database run it
export const isAwaitingReport = (message: string) => `${message}.status = 'sent' AND ${message}.status_detail <> 'unknown'`;

/** SQL: the message with this alias waits for its acceptance, its hand-off or its report. */
// Stryker disable next-line all: tests with a database run it
export const isOpen = (message: string) => `(${message}.status IN ('accepting', 'queued') OR ${isAwaitingReport(message)})`;

/** The order in which reports that arrive together are applied, independently of their order of arrival. */
export const reportOrder = ['sent', 'delivered', 'failed', 'read'] as const;
export type ReportStatus = (typeof reportOrder)[number];
