/** Whether a message waits for its time after acceptance. A time in the past means now (docs/contract/messages.md). */
export const isAhead = ({ scheduled_at, created_at }: { scheduled_at: Date | null; created_at: Date }) =>
  scheduled_at !== null && scheduled_at > created_at;
