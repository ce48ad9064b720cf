import { activityInfo, asyncLocalStorage } from '@temporalio/activity';

/** The workspace whose activity runs: the fairness key of its task. Undefined for work that belongs to no workspace or to several. */
export const ownerOfWork = (): string | undefined =>
  asyncLocalStorage.getStore() === undefined ? undefined : activityInfo().priority?.fairnessKey;
