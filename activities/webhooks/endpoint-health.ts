/**
 * Remembers for recently called webhooks whether they fail or hang, and how long their answers usually take. Deliveries to a failing webhook
 * are left to its retrier, so that they delay no message and no other webhook. If this memory is lost, each such webhook costs one slow attempt.
 */
import type { EndpointBoard } from './endpoint-board.js';

const forgetMs = 60_000;
const slowMs = 2_000;
/** Weight of the newest attempt in the usual duration. */
const newestShare = 0.25;

/** Patience with an endpoint when no other webhook waits behind it. */
const patienceAloneMs = 1_000;
/** Patience when other webhooks wait: a multiple of the usual duration within these bounds. The upper bound when no duration is known. */
const patienceSharedMs = { min: 100, max: 250 };
const timesUsual = 4;

export class EndpointHealth {
  /** @param board what all threads of the process remember */
  constructor(private readonly board: EndpointBoard) {}

  /** True when the first attempt should be left to the retrier. */
  isFailing(webhookId: string, now = Date.now()): boolean {
    return this.board.failingUntil(webhookId) > now;
  }

  /** True when the endpoint usually takes longer than the patience for shared endpoints. */
  isSlow(webhookId: string): boolean {
    return (this.board.usualMs(webhookId) ?? 0) > patienceSharedMs.max;
  }

  /** How long a group waits for an attempt. @param isShared other webhooks wait too */
  patienceMs(webhookId: string, isShared: boolean): number {
    if (!isShared) return patienceAloneMs;
    const { min, max } = patienceSharedMs;
    const usualMs = this.board.usualMs(webhookId);
    return usualMs === undefined ? max : Math.min(max, Math.max(min, timesUsual * usualMs));
  }

  /** Records that a running attempt is late. */
  noteLate(webhookId: string, now = Date.now()): void {
    this.board.setFailingUntil(webhookId, now + forgetMs);
  }

  /** Records the outcome of an attempt. */
  note(webhookId: string, succeeded: boolean, durationMs: number, now = Date.now()): void {
    if (succeeded) {
      const usualMs = this.board.usualMs(webhookId) ?? durationMs;
      this.board.setUsualMs(webhookId, usualMs * (1 - newestShare) + durationMs * newestShare);
    }
    this.board.setFailingUntil(webhookId, succeeded && durationMs < slowMs ? 0 : now + forgetMs);
  }
}
