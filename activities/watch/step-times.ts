/**
 * How long the steps of a watcher run work that run one after the other, in milliseconds. The other two of them are short statements. The sum is
 * below the time between two runs, because a run that lasts longer skips the next one, which would repair what no workflow drives.
 */
export const stepMs = {
  countMessages: 5_000,
  /** `forgetOld` begins no part after this time: the sum of the three times in watcher-maintenance.ts, plus 2 s for their last pages. */
  forgetOld: 10_000,
  eraseOld: 6_000,
  auditBooks: 7_000,
};
