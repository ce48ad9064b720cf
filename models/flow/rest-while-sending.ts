import type { UrgentWork } from './give-way.js';

export interface Rest {
  /** Work of this length needs no rest. Default: 0 */
  usualMs?: number;
  /** The rest is this many times the time above `usualMs`. */
  share: number;
  msMax: number;
  /** A key whose recent time above `usualMs` adds up to more than this rests three times as long. Default: no limit */
  heavyUseMs?: number;
}

const heavyUseFactor = 3;
const halfLifeMs = 20_000;
const forgottenMs = 1;

/** How long the work of each key took lately. Each millisecond counts half after twenty seconds. */
class RecentUse {
  readonly #uses = new Map<string, { ms: number; at: number }>();

  /** @returns the recent work of the key, with this work */
  add(key: string, workMs: number, now: number): number {
    const leftOf = ({ ms, at }: { ms: number; at: number }) => ms * 0.5 ** ((now - at) / halfLifeMs);
    for (const [other, use] of this.#uses) if (leftOf(use) < forgottenMs) this.#uses.delete(other);
    const before = this.#uses.get(key);
    const ms = workMs + (before === undefined ? 0 : leftOf(before));
    this.#uses.set(key, { ms, at: now });
    return ms;
  }
}

/**
 * How long a workspace rests after its work while single messages are sent; otherwise it does not rest. For `restMsAfter` of a concurrency limit.
 * One costly request should end soon, but a workspace that makes them all the time must not occupy a part of a core for ever.
 * @param sends single messages that are being accepted
 * @param now milliseconds
 */
export function restWhileSending(
  sends: Pick<UrgentWork, 'isRecent'>,
  { usualMs = 0, share, msMax, heavyUseMs = Number.POSITIVE_INFINITY }: Rest,
  now: () => number = performance.now.bind(performance),
): (workMs: number, key: string) => number {
  const recent = heavyUseMs === Number.POSITIVE_INFINITY ? null : new RecentUse();
  return (workMs, key) => {
    const costlyMs = workMs - usualMs;
    if (costlyMs <= 0) return 0;
    const recentMs = recent?.add(key, costlyMs, now()) ?? costlyMs;
    return sends.isRecent ? Math.min((recentMs > heavyUseMs ? share * heavyUseFactor : share) * costlyMs, msMax) : 0;
  };
}
