/** When a message is due. A scheduled time in the past means now (docs/contract/messages.md). */

interface Scheduled {
  scheduled_at: Date | null;
  created_at: Date;
}

/** The acceptance of a message, or its scheduled time if that is later. */
export const dueTime = ({ scheduled_at, created_at }: Scheduled): Date =>
  scheduled_at !== null && scheduled_at > created_at ? scheduled_at : created_at;

/** Whether a message waits for its time after acceptance. */
export const isAhead = (message: Scheduled) => dueTime(message) > message.created_at;

/** SQL: `dueTime` of a row. */
export const dueTimeOf = (row: string) => `GREATEST(${row}.scheduled_at, ${row}.created_at)`;
