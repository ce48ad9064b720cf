import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import type { Dispatched } from '../../activities/handoff/dispatch.js';
import { local } from '../activities.js';

/** Minimum pause between two hand-offs when the first one left messages queued. */
const retryDelayMsMin = 1_000;

/**
 * Awaits a hand-off. When its retries are used up, the messages that no provider can have taken fail and are refunded. They stay queued if the
 * time was over because no worker took the activity, and nobody was called in that time.
 */
export async function handOffOrGiveUp(groupId: string, handOff: Promise<Dispatched>): Promise<Dispatched> {
  try {
    return await handOff;
  } catch (error) {
    if (error instanceof ActivityFailure) return local.giveUpOnHandoffs(groupId, hasWaitedForWorker(error));
    throw error;
  }
}

/** The time was over while the activity was in a queue, or its workers died. If an attempt failed by itself, the timeout has its failure as cause. */
const hasWaitedForWorker = ({ cause }: ActivityFailure): boolean =>
  cause instanceof TimeoutFailure && !(cause.cause instanceof ApplicationFailure);

/** @returns milliseconds until the next hand-off is worth a try; never before the messages are due */
export function retryDelayMs({ retryInMs = 0 }: Dispatched, dueAtMs: number): number {
  return Math.max(retryDelayMsMin, dueAtMs - Date.now(), retryInMs);
}

/** @returns the same for a page of a paused batch, which looks again when its next message expires; `pauseMs` if none expires before */
export function pausedDelayMs({ retryInMs = 0 }: Dispatched, pauseMs: number): number {
  return retryInMs > 0 ? Math.min(pauseMs, Math.max(retryDelayMsMin, retryInMs)) : pauseMs;
}
