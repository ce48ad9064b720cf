/**
 * Remembers for recently called webhooks whether they fail or hang, and how long their answers usually take. Deliveries to a failing webhook
 * are left to its retrier, so that they delay no message and no other webhook. If this memory is lost, each such webhook costs one slow attempt.
 */
import type { SharedEndpointStats } from './shared-endpoint-stats.js';

const forgetMs = 60_000;
const slowMs = 2_000;
/** Weight of the newest attempt in the usual duration. */
const newestShare = 0.25;

/** An attempt is late after this time when the group has only this webhook. */
const lateAfterAloneMs = 1_000;
/** When other webhooks wait: a multiple of the usual duration within these bounds. The upper bound when no duration is known. */
const lateAfterSharedMs = { min: 100, max: 250 };
const timesUsual = 4;

/** Milliseconds of a clock that nobody sets and that all threads of the process share. `performance.now()` begins anew in each thread. */
const sharedNow = () => Number(process.hrtime.bigint() / 1_000_000n);

export class EndpointHealth {
  /** @param stats what all threads of the process remember */
  constructor(private readonly stats: SharedEndpointStats) {}

  /** True when the first attempt should be left to the retrier. */
  isFailing(webhookId: string, now = sharedNow()): boolean {
    return this.stats.failingUntil(webhookId) > now;
  }

  /** True when this process knows of an acknowledged attempt, and of none that failed or was late within the last minute and after it. */
  isHealthy(webhookId: string): boolean {
    return this.stats.usualMs(webhookId) !== undefined && !this.isFailing(webhookId);
  }

  /** True when the endpoint usually takes longer than an attempt may while other webhooks wait. */
  isSlow(webhookId: string): boolean {
    return (this.stats.usualMs(webhookId) ?? 0) > lateAfterSharedMs.max;
  }

  /** How long a group waits for an attempt. @param isShared other webhooks wait too */
  lateAfterMs(webhookId: string, isShared: boolean): number {
    if (!isShared) return lateAfterAloneMs;
    const { min, max } = lateAfterSharedMs;
    const usualMs = this.stats.usualMs(webhookId);
    return usualMs === undefined ? max : Math.min(max, Math.max(min, timesUsual * usualMs));
  }

  /** Records that a running attempt is late. */
  noteLate(webhookId: string, now = sharedNow()): void {
    this.stats.setFailingUntil(webhookId, now + forgetMs);
  }

  /** Records the outcome of an attempt. */
  note(webhookId: string, succeeded: boolean, durationMs: number, now = sharedNow()): void {
    if (succeeded) {
      const usualMs = this.stats.usualMs(webhookId) ?? durationMs;
      this.stats.setUsualMs(webhookId, usualMs * (1 - newestShare) + durationMs * newestShare);
    }
    this.stats.setFailingUntil(webhookId, succeeded && durationMs < slowMs ? 0 : now + forgetMs);
  }
}
