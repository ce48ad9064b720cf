/** A step of a timeline. */

/** The types of steps. Steps with the same time are sorted in this order. */
export const stepTypes = [
  'accepted',
  'charged',
  'attempt',
  'sent',
  'report',
  'delivered',
  'read',
  'failed',
  'refunded',
  'fallback',
  'event',
  'delivery',
] as const;

export interface Step {
  at: Date;
  type: (typeof stepTypes)[number];
  /** A sentence for people. */
  text: string;
  details: Record<string, unknown>;
}
