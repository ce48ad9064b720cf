import type { Database } from '../../../models/db/database.js';
import type { Logger } from '../../../models/process/logger.js';
import { postDueReports } from '../../../models/operations/messages/sandbox.js';
import { type SandboxReport, signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { callDeadline } from '../call-deadline.js';
import { type HttpClient, httpClient } from './http-client.js';

const reportsPerPost = 500;
/** Reports that are due within this time are posted together. */
const togetherMs = { max: 50, shareOfDelay: 0.05 };
const callbackTimeoutMs = 10_000;

export interface ReportPosterDeps {
  db: Database;
  secretKey: string;
  callbackUrl: string;
  logger: Logger;
  /** Interval of posts without a schedule: for reports from before a crash, or of another process. */
  idleMs?: number;
}

/** Posts the due reports of the sandbox to our own callback endpoint, signed, until they are acknowledged. Begins at once. */
export class ReportPoster {
  /** Scheduled posts. */
  readonly #moments = new Set<number>();
  #wakeAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  /** The last post failed. Of several failures in a row only the first is logged. */
  #isFailing = false;
  readonly #api: HttpClient;

  constructor(private readonly deps: ReportPosterDeps) {
    this.#api = httpClient(deps.callbackUrl);
    this.#wakeIn(0);
  }

  /** Schedules a post for reports that are due in this many milliseconds. */
  expect(dueInMs: number): void {
    const dueAt = Date.now() + dueInMs + 1;
    const latestAt = dueAt + Math.min(togetherMs.max, dueInMs * togetherMs.shareOfDelay);
    for (const moment of this.#moments) if (moment >= dueAt && moment <= latestAt) return;
    this.#moments.add(latestAt);
    this.#wakeIn(latestAt - Date.now());
  }

  /** Stops after the current post. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #wakeIn(ms: number): void {
    const at = Date.now() + ms;
    if (this.#stopped || at >= this.#wakeAt) return;
    this.#wakeAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#wakeAt = Number.POSITIVE_INFINITY;
      this.#running = this.#running.then(() => this.#postAll());
    }, ms);
  }

  async #postAll(): Promise<void> {
    const { db, logger, idleMs = 1000 } = this.deps;
    const startedAt = Date.now();
    try {
      while ((await postDueReports(db, reportsPerPost, (reports) => this.#post(reports))) === reportsPerPost);
      this.#isFailing = false;
    } catch (err) {
      if (!this.#isFailing) logger.warn({ err }, 'could not post sandbox reports; repeating them');
      this.#isFailing = true;
    }
    for (const moment of this.#moments) if (moment <= startedAt) this.#moments.delete(moment);
    this.#wakeIn(Math.max(0, Math.min(Date.now() + idleMs, ...this.#moments) - Date.now()));
  }

  async #post(reports: SandboxReport[]): Promise<void> {
    const body = JSON.stringify({ reports });
    const headers = { 'Content-Type': 'application/json', ...signSandboxCallback(this.deps.secretKey, body) };
    const { signal, clear } = callDeadline(callbackTimeoutMs);
    const { status } = await this.#api.call({ method: 'POST', path: '/callbacks/sandbox', headers, body }, signal).finally(clear);
    if (status >= 300) throw new Error(`The callback endpoint returned ${status}`);
  }
}
