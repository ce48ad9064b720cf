/**
 * What this worker knows of the webhooks it called lately: who hangs or fails, and how long the others usually take. What is left to
 * a carrier for that delays neither the messages nor anybody else's events. Losing this memory costs one slow attempt.
 */
const forgetMs = 60_000;
const slowMs = 2_000;
/** The newest attempt counts so much in what is usual. */
const newestShare = 0.25;
const knownMax = 10_000;

/** An endpoint that nobody else waits for may take so long. */
const patienceAloneMs = 1_000;
/** Where others wait for it: several times what is usual, within these bounds; the upper one where nothing is known. */
const patienceSharedMs = { least: 100, most: 250 };
const timesUsual = 4;

interface Known {
  failingUntil: number;
  /** Milliseconds of an acknowledged attempt; undefined while there was none. */
  usualMs: number | undefined;
}

export class EndpointHealth {
  readonly #known = new Map<string, Known>();

  /** True when the first attempt should be left to the carrier. */
  isFailing(webhookId: string, now = Date.now()): boolean {
    return (this.#known.get(webhookId)?.failingUntil ?? 0) > now;
  }

  /** True when those who wait for it would always wait too long. */
  isSlow(webhookId: string): boolean {
    return (this.#known.get(webhookId)?.usualMs ?? 0) > patienceSharedMs.most;
  }

  /** How long a group waits for an attempt. @param isShared the events of others wait too */
  patienceMs(webhookId: string, isShared: boolean): number {
    if (!isShared) return patienceAloneMs;
    const { least, most } = patienceSharedMs;
    const usualMs = this.#known.get(webhookId)?.usualMs;
    return usualMs === undefined ? most : Math.min(most, Math.max(least, timesUsual * usualMs));
  }

  /** Notes that an attempt is under way for too long already. */
  noteLate(webhookId: string, now = Date.now()): void {
    this.#of(webhookId).failingUntil = now + forgetMs;
  }

  /** Notes how an attempt went. */
  note(webhookId: string, succeeded: boolean, durationMs: number, now = Date.now()): void {
    const known = this.#of(webhookId);
    if (succeeded) known.usualMs = (known.usualMs ?? durationMs) * (1 - newestShare) + durationMs * newestShare;
    known.failingUntil = succeeded && durationMs < slowMs ? 0 : now + forgetMs;
  }

  #of(webhookId: string): Known {
    const known = this.#known.get(webhookId) ?? { failingUntil: 0, usualMs: undefined };
    if (!this.#known.has(webhookId)) {
      const [oldest] = this.#known.keys();
      if (this.#known.size >= knownMax && oldest !== undefined) this.#known.delete(oldest);
      this.#known.set(webhookId, known);
    }
    return known;
  }
}
