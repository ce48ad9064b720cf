/**
 * How long the steps that a watcher runs one after the other may work, in milliseconds; those that are one short statement are not named. Their sum
 * is below the time between two runs: a run that lasts longer makes the schedule skip the next one, which would repair what no workflow drives.
 */
export const stepMs = {
  countMessages: 5_000,
  /** `forgetOld` begins no part after this time: the sum of the three times in watcher-maintenance.ts, plus 2 s for their last pages. */
  forgetOld: 10_000,
  eraseOld: 6_000,
  auditBooks: 7_000,
};
