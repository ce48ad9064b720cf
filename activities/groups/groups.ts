/** The activities of a group of many messages: hand-off, reports and events in one. */
import { activityInfo, ApplicationFailure, log } from '@temporalio/activity';
import type { Config } from '../../models/settings/config.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { openPage } from '../../models/operations/batches/open-page.js';
import type { GroupWork } from '../../models/operations/messages/count-group-work.js';
import type { Dispatched, DispatchTarget } from '../handoff/dispatch.js';
import { notHandedOffType } from '../handoff/next-try.js';
import { attemptFirst, type FirstAttemptDeps } from '../webhooks/first-attempts.js';
import { queues } from '../../workflows/contract.js';
import { withHeartbeat } from '../support/heartbeat.js';
import { activitySlots, type TaskQueue } from '../support/slots.js';
import { isEmpty, type GroupProgress, type DriveOptions, driveGroup } from './drive-group.js';

export interface GroupDeps extends FirstAttemptDeps {
  config: FirstAttemptDeps['config'] & Pick<Config, 'secretKeys'>;
  /** Hands off due messages; see `dispatch`. */
  dispatch: (target: DispatchTarget) => Promise<Dispatched>;
  stopping?: AbortSignal;
}

/** Attempts at once to one endpoint, for each group. Pages get fewer: many of them run in parallel, and they are less urgent. */
const attemptsAtOnce = { ofPage: 4, ofGroup: 12 };

/** The state of a group after its hand-off and after it was driven. */
export interface SendGroupResult extends GroupProgress, Omit<Dispatched, keyof GroupWork> {
  /** An earlier attempt of the activity may have died before it returned `left`. The next call has to look for such deliveries. */
  again: boolean;
}

/** Activities may wait for reports in half the slots of a queue. @param crowdedMs see `DriveDeps` */
const drivenIn = (queue: TaskQueue, crowdedMs: number) => ({ driven: new Set<string>(), waitingMax: activitySlots[queue] / 2, crowdedMs });
/**
 * The reports of a page arrive over many seconds. If each report woke a page that could not wait for the next one, the wake-ups would cost more than
 * the messages.
 */
const crowdedPageMs = 2_000;

export function groupActivities({ dispatch, stopping, ...deps }: GroupDeps) {
  const { db, config } = deps;
  const pages = drivenIn(queues.bulk, crowdedPageMs);
  const groups = drivenIn(queues.messages, 0);
  const drive = async (groupId: string, isPage: boolean, how: DriveOptions) => {
    const ownConcurrency = isPage ? attemptsAtOnce.ofPage : attemptsAtOnce.ofGroup;
    const deliver = (retakesLeft: boolean) => attemptFirst(deps, groupId, { retakesLeft, ownConcurrency, signal: how.signal });
    return driveGroup({ db, deliver, ...(isPage ? pages : groups), key: await erasureKey(db, config.secretKeys) }, groupId, how);
  };

  return {
    /**
     * Applies the reports of a group and delivers its events until none is left, for 20 seconds at most; see `driveGroup`.
     * @param isPage the group is a page of a batch
     * @param retakesLeft looks also for deliveries that an earlier call left to workflows and did not return
     */
    driveGroup: (groupId: string, isPage: boolean, retakesLeft: boolean): Promise<GroupProgress> =>
      withHeartbeat(
        async (signal) => withNextRound(await drive(groupId, isPage, { signal, retakesLeft: retakesLeft || isRetried() })),
        stopping,
      ),

    /** Opens a page that is not open yet. Hands off as `dispatchMessages` does, and drives the group meanwhile and afterwards. */
    sendGroup: (groupId: string, batchId?: string): Promise<SendGroupResult> =>
      withHeartbeat(async (signal) => {
        if (batchId !== undefined) await openPage(db, groupId);
        const handOff = dispatch({ groupId, batchId, signal, holdsEvents: true });
        const [handedOff, driving] = await Promise.allSettled([
          handOff,
          drive(groupId, batchId !== undefined, { signal, retakesLeft: false, handOff }),
        ]);
        if (driving.status === 'rejected') throw driving.reason;
        const again = isRetried();
        if (handedOff.status === 'fulfilled') return { ...handedOff.value, ...driving.value, again };
        if (isEmpty(driving.value.left)) throw handedOff.reason;
        // First the workflow has to start the workflows in `left`. Then it hands off again.
        return { ...driving.value, more: false, again, ...waitAfterFailure(handedOff.reason) };
      }, stopping),
  };
}

/** A round that ends with due events asks for the next one: no report wakes the workflow for events that are written already. */
const withNextRound = (progress: GroupProgress): GroupProgress =>
  progress.deliveries === 0 ? progress : { ...progress, left: { ...progress.left, more: true } };

/**
 * The wait that a failed hand-off asks for, for the result of `sendGroup`. It ends earlier if a message of the group expires; carriers are called
 * again then, because the next activity does not know how much of their wait is left. Temporal logs only activities that fail, so an unexpected
 * error is logged here.
 */
function waitAfterFailure(error: unknown): Pick<Dispatched, 'retryInMs'> {
  const { type, nextRetryDelay } = error instanceof ApplicationFailure ? error : {};
  if (type !== notHandedOffType) log.warn('a hand-off failed', { error });
  return typeof nextRetryDelay === 'number' ? { retryInMs: nextRetryDelay } : {};
}

const isRetried = () => activityInfo().attempt > 1;
