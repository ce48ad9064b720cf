/** The activities that take all that comes for a group of many: its hand-off, its reports and its events. */
import { activityInfo } from '@temporalio/activity';
import { type GroupWork, groupState } from '../models/operations/group-work.js';
import type { Dispatched } from './dispatch.js';
import { attemptFirst, type FirstAttemptDeps } from './first-attempts.js';
import { withHeartbeat } from './heartbeat.js';
import { isEmpty, type Tended, tendGroup } from './tend-group.js';

export interface GroupDeps extends FirstAttemptDeps {
  /** See `dispatchMessages`. */
  dispatch: (groupId: string, batchId?: string) => Promise<Dispatched>;
}

/** To one endpoint, by each group. Pages wait for it side by side and have time; the group of single messages should be done. */
const attemptsAtOnce = { ofPage: 4, ofGroup: 12 };

/** What is left of a group whose hand-off was tried and that was tended meanwhile. */
export type Sent = Tended & Omit<Dispatched, keyof GroupWork>;

export function groupActivities({ dispatch, ...deps }: GroupDeps) {
  const { db } = deps;
  const tended = new Set<string>();
  const tend = (groupId: string, isPage: boolean, signal: AbortSignal, handOff?: Promise<GroupWork>) => {
    const ownAtOnce = isPage ? attemptsAtOnce.ofPage : attemptsAtOnce.ofGroup;
    const deliver = (again: boolean) => attemptFirst(deps, groupId, { again, ownAtOnce });
    return tendGroup({ db, tended, deliver }, groupId, signal, handOff);
  };

  return {
    /**
     * Applies the reports of a group and delivers its events, for as long as there are any.
     * @param isPage it is a page of a batch
     */
    tendGroup: (groupId: string, isPage: boolean): Promise<Tended> => withHeartbeat((signal) => tend(groupId, isPage, signal)),

    /** Hands off as `dispatchMessages` does, and tends the group meanwhile and after that. */
    sendGroup: (groupId: string, batchId?: string): Promise<Sent> =>
      withHeartbeat(async (signal) => {
        const handOff = dispatch(groupId, batchId);
        const [handedOff, tending] = await Promise.allSettled([handOff, tend(groupId, batchId !== undefined, signal, handOff)]);
        if (tending.status === 'rejected') throw tending.reason;
        const { left, isOver } = tending.value;
        if (handedOff.status === 'fulfilled') return { ...handedOff.value, ...tending.value, isOver: isOver && isFirstAttempt() };
        if (isEmpty(left)) throw handedOff.reason;
        return { ...(await groupState(db, groupId)), more: false, left, isOver: false }; // the workflow has to start these first
      }),
  };
}

/** After a later one somebody looks once more: the first may have died before it could tell what it left to others. */
const isFirstAttempt = () => activityInfo().attempt === 1;
