/**
 * What this worker knows of the webhooks it called lately. An endpoint that hangs or fails is left to its carrier, which has
 * slots of its own: it delays neither the messages nor anybody else's events. Losing this memory costs one slow attempt.
 */
const forgetMs = 60_000;
const slowMs = 2_000;

export class EndpointHealth {
  readonly #failingUntil = new Map<string, number>();

  /** True when the first attempt should be left to the carrier. */
  isFailing(webhookId: string, now = Date.now()): boolean {
    const until = this.#failingUntil.get(webhookId);
    if (until === undefined) return false;
    if (until > now) return true;
    this.#failingUntil.delete(webhookId);
    return false;
  }

  /** Notes that an attempt is under way for too long already. */
  noteLate(webhookId: string, now = Date.now()): void {
    this.#failingUntil.set(webhookId, now + forgetMs);
  }

  /** Notes how an attempt went. */
  note(webhookId: string, succeeded: boolean, durationMs: number, now = Date.now()): void {
    if (succeeded && durationMs < slowMs) this.#failingUntil.delete(webhookId);
    else this.noteLate(webhookId, now);
  }
}
