/** Posts the due reports of the sandbox to our own callback endpoint, signed, until they are acknowledged. */
import type { Database } from '../../../models/db/database.js';
import type { Logger } from '../../../models/process/logger.js';
import { postDueReports } from '../../../models/operations/messages/sandbox.js';
import { type SandboxReport, signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';

const reportsPerPost = 500;
/** Reports that are due within this time are posted together. */
const togetherMs = { most: 50, shareOfDelay: 0.05 };
const callbackTimeoutMs = 10_000;

export interface ReportPoster {
  /** Schedules a post for reports that are due in this many milliseconds. */
  expect(dueInMs: number): void;
  /** Stops after the current post. */
  stop(): Promise<void>;
}

export interface ReportPosterDeps {
  db: Database;
  secretKey: string;
  callbackUrl: string;
  logger: Logger;
  /** Interval of posts without a schedule: for reports from before a crash, or of another process. */
  idleMs?: number;
}

/** Starts the report poster. */
export function startReportPoster({ db, secretKey, callbackUrl, logger, idleMs = 1000 }: ReportPosterDeps): ReportPoster {
  const url = `${callbackUrl}/callbacks/sandbox`;
  /** Scheduled posts. */
  const moments = new Set<number>();
  let wakeAt = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  const wakeIn = (ms: number) => {
    const at = Date.now() + ms;
    if (stopped || at >= wakeAt) return;
    wakeAt = at;
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
  const run = () => {
    wakeAt = Number.POSITIVE_INFINITY;
    running = running.then(postAll);
  };
  const postAll = async () => {
    const startedAt = Date.now();
    try {
      while ((await postDueReports(db, reportsPerPost, (reports) => post(url, secretKey, reports))) === reportsPerPost);
    } catch (err) {
      logger.warn({ err }, 'could not post sandbox reports, retrying');
    }
    for (const moment of moments) if (moment <= startedAt) moments.delete(moment);
    wakeIn(Math.max(0, Math.min(Date.now() + idleMs, ...moments) - Date.now()));
  };
  const expect = (dueInMs: number) => {
    const dueAt = Date.now() + dueInMs + 1;
    const latestAt = dueAt + Math.min(togetherMs.most, dueInMs * togetherMs.shareOfDelay);
    for (const moment of moments) if (moment >= dueAt && moment <= latestAt) return;
    moments.add(latestAt);
    wakeIn(latestAt - Date.now());
  };

  wakeIn(0);
  return {
    expect,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

async function post(url: string, secretKey: string, reports: SandboxReport[]): Promise<void> {
  const body = JSON.stringify({ reports });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...signSandboxCallback(secretKey, body) },
    body,
    signal: AbortSignal.timeout(callbackTimeoutMs),
  });
  await response.arrayBuffer(); // frees the connection
  if (!response.ok) throw new Error(`The callback endpoint answered ${response.status}`);
}
