/** When and how often a carrier reports on a message. It posts every report until the service has answered 2xx. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryWriter } from '../history.js';
import type { ReportRecord } from '../records.js';
import type { Random } from '../random.js';

export type Status = ReportRecord['status'];

/** Nemeses of reports. Several may be active at the same time. */
export interface Accidents {
  shuffled: boolean;
  doubled: boolean;
  forged: boolean;
  /** Held back until `release`, long after the service has stopped waiting. */
  late: boolean;
}

/** How one carrier reports on one message. */
export interface Speaker {
  carrier: string;
  account: string;
  providerId: string;
  /** Whether the carrier reports `read`. */
  reads: boolean;
  /** Posts a report. @returns the status of the answer; rejects if there was none */
  post(status: Status, isGenuine: boolean): Promise<number>;
}

/** Most of the messages are delivered within seconds. The others fail, have no reports, or take longer. */
const shares = { failed: 0.1, silent: 0.05, slow: 0.08 };
const slowMs = { min: 8_000, max: 20_000 };
const retryMs = { min: 500, max: 2_000 };

export class Reporter {
  readonly accidents: Accidents = { shuffled: false, doubled: false, forged: false, late: false };
  #reports = 0;
  #open = 0;
  #held: (() => void)[] = [];

  constructor(
    private readonly history: HistoryWriter,
    private readonly random: Random,
    private readonly closing: AbortSignal,
  ) {}

  /** Reports that were not posted yet, or not acknowledged. */
  get open(): number {
    return this.#open;
  }

  /** Plans the reports about a message that was just taken. */
  taken(speaker: Speaker): void {
    const { random, accidents } = this;
    const draw = random.next();
    if (draw < shares.silent) return;
    const isSlow = draw < shares.silent + shares.slow;
    const lastStatus: Status = random.chance(shares.failed) ? 'failed' : 'delivered';
    const sentMs = random.between(50, 1_000);
    const lastMs = sentMs + (isSlow ? random.between(slowMs.min, slowMs.max) : random.between(200, 3_000));
    const life: [Status, number][] = [
      ['sent', sentMs],
      [lastStatus, lastMs],
    ];
    if (speaker.reads && lastStatus === 'delivered' && random.chance(0.4)) life.push(['read', lastMs + random.between(100, 2_000)]);
    if (accidents.forged) this.#begin(speaker, 'failed', random.between(0, 500), { isGenuine: false, isLate: false });
    for (const [status, afterMs] of life) {
      const dueMs = accidents.shuffled ? random.between(0, 4_000) : afterMs;
      for (let copy = accidents.doubled ? 2 : 1; copy > 0; copy -= 1) {
        this.#begin(speaker, status, dueMs, { isGenuine: true, isLate: accidents.late });
      }
    }
  }

  /** Posts the held reports. */
  release(): void {
    for (const go of this.#held.splice(0)) go();
  }

  #begin(speaker: Speaker, status: Status, dueMs: number, how: { isGenuine: boolean; isLate: boolean }): void {
    this.#open += 1;
    void this.#deliver(speaker, status, dueMs, how)
      .catch(() => undefined) // the run ends
      .finally(() => {
        this.#open -= 1;
      });
  }

  async #deliver(
    speaker: Speaker,
    status: Status,
    dueMs: number,
    { isGenuine, isLate }: { isGenuine: boolean; isLate: boolean },
  ): Promise<void> {
    const pause = (ms: number) => sleep(ms, undefined, { signal: this.closing });
    if (isLate) await new Promise<void>((resolve) => this.#held.push(resolve));
    else await pause(dueMs);
    for (;;) {
      const answer = await this.#post(speaker, status, isGenuine);
      // A forged report is refused, and not repeated.
      if (answer !== null && (answer < 300 || (!isGenuine && answer < 500))) return;
      await pause(this.random.between(retryMs.min, retryMs.max));
    }
  }

  async #post({ carrier, account, providerId, post }: Speaker, status: Status, genuine: boolean): Promise<number | null> {
    this.#reports += 1;
    const report = this.#reports;
    this.history.append({ type: 'report', report, carrier, account, providerId, status, genuine });
    const answer = await post(status, genuine).catch(() => null);
    this.history.append({ type: 'report-answer', report, status: answer });
    return answer;
  }
}
