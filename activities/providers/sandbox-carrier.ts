/** The sandbox's other half: posts due reports to our own callback endpoint, signed, until they are acknowledged. */
import type { Database } from '../../models/database.js';
import type { Logger } from '../../models/logger.js';
import { postDueReports } from '../../models/operations/sandbox.js';
import { type SandboxReport, signSandboxCallback } from '../../models/rules/callbacks/sandbox.js';

const reportsPerPost = 500;
/** How long reports may lie when no timer is running for them: after a crash, or when another process took the message. */
const idleMs = 1000;
const callbackTimeoutMs = 10_000;

export interface Carrier {
  /** Reports will be due in so many milliseconds. */
  expect(dueInMs: number): void;
  /** Stops after the post that is under way. */
  stop(): Promise<void>;
}

export interface CarrierDeps {
  db: Database;
  secretKey: string;
  callbackUrl: string;
  logger: Logger;
}

export function startSandboxCarrier({ db, secretKey, callbackUrl, logger }: CarrierDeps): Carrier {
  const url = `${callbackUrl}/callbacks/sandbox`;
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
    try {
      while ((await postDueReports(db, reportsPerPost, (reports) => post(url, secretKey, reports))) === reportsPerPost);
    } catch (err) {
      logger.warn({ err }, 'sandbox reports could not be posted; trying again');
    }
    wakeIn(idleMs);
  };

  wakeIn(0);
  return {
    expect: (dueInMs) => wakeIn(dueInMs + 1),
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
  if (!response.ok) throw new Error(`callback answered ${response.status}`);
}
