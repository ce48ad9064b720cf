/** The activities that take all that comes for a group of many: its hand-off, its reports and its events. */
import { activityInfo } from '@temporalio/activity';
import type { GroupWork } from '../../models/operations/messages/group-work.js';
import type { Dispatched, DispatchOf } from '../handoff/dispatch.js';
import { attemptFirst, type FirstAttemptDeps } from '../webhooks/first-attempts.js';
import { withHeartbeat } from '../support/heartbeat.js';
import { isEmpty, type Tended, type TendOptions, tendGroup } from './tend-group.js';

export interface GroupDeps extends FirstAttemptDeps {
  /** Hands off what is due, see `dispatch`. */
  dispatch: (of: DispatchOf) => Promise<Dispatched>;
  stopping?: AbortSignal;
}

/** To one endpoint, by each group. Pages wait for it side by side and have time; the group of single messages should be done. */
const attemptsAtOnce = { ofPage: 4, ofGroup: 12 };

/** What is left of a group whose hand-off was tried and that was tended meanwhile. */
export interface Sent extends Tended, Omit<Dispatched, keyof GroupWork> {
  /** An earlier attempt may have died before it could tell what it left to others: to be looked for with the next call. */
  again: boolean;
}

export function groupActivities({ dispatch, stopping, ...deps }: GroupDeps) {
  const { db } = deps;
  const tended = new Set<string>();
  const tend = (groupId: string, isPage: boolean, how: TendOptions) => {
    const ownAtOnce = isPage ? attemptsAtOnce.ofPage : attemptsAtOnce.ofGroup;
    const deliver = (again: boolean) => attemptFirst(deps, groupId, { again, ownAtOnce });
    return tendGroup({ db, tended, deliver }, groupId, how);
  };

  return {
    /**
     * Applies the reports of a group and delivers its events, for as long as there are any.
     * @param isPage it is a page of a batch
     * @param again looks also for what a call that died may have left to others
     */
    tendGroup: (groupId: string, isPage: boolean, again: boolean): Promise<Tended> =>
      withHeartbeat((signal) => tend(groupId, isPage, { signal, again: again || isRetried() }), stopping),

    /** Hands off as `dispatchMessages` does, and tends the group meanwhile and after that. */
    sendGroup: (groupId: string, batchId?: string): Promise<Sent> =>
      withHeartbeat(async (signal) => {
        const handOff = dispatch({ groupId, batchId, signal });
        const [handedOff, tending] = await Promise.allSettled([
          handOff,
          tend(groupId, batchId !== undefined, { signal, again: false, handOff }),
        ]);
        if (tending.status === 'rejected') throw tending.reason;
        const again = isRetried();
        if (handedOff.status === 'fulfilled') return { ...handedOff.value, ...tending.value, again };
        if (isEmpty(tending.value.left)) throw handedOff.reason;
        return { ...tending.value, more: false, again }; // the workflow has to start what is left first
      }, stopping),
  };
}

const isRetried = () => activityInfo().attempt > 1;
