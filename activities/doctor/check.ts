/** One thing that `npm run doctor` looks at, and what it finds. */
import type { Database } from '../../models/db/database.js';
import type { Config } from '../../models/settings/config.js';

/** `failed`: messages are or will be affected. `warning`: works, but should be changed. */
export type State = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  state: State;
  /** What was looked at: `PostgreSQL schema`. */
  subject: string;
  /** What was seen. */
  detail: string;
  /** What to do about it. */
  fix?: string;
}

export interface CheckDeps {
  config: Readonly<Config>;
  db: Database;
  /** Aborted when the time of a check is over. */
  signal: AbortSignal;
}

export interface Check {
  /** The subject of the finding if the check itself fails. */
  subject: string;
  /** What to do if it fails. A function gets the error. */
  fix: string | ((error: unknown) => string);
  /** @throws for what cannot be reached; the message becomes the detail */
  run(deps: CheckDeps): Promise<Finding[]>;
}

export const ok = (subject: string, detail: string): Finding => ({ state: 'ok', subject, detail });
export const warning = (subject: string, detail: string, fix: string): Finding => ({ state: 'warning', subject, detail, fix });
export const failed = (subject: string, detail: string, fix: string): Finding => ({ state: 'failed', subject, detail, fix });
export const skipped = (subject: string, detail: string): Finding => ({ state: 'skipped', subject, detail });

/** The maximum duration of a check. */
const checkMsMax = 10_000;

/**
 * Runs all checks side by side. A check that throws or does not end is a finding too.
 * @returns the findings in the order of the checks
 */
export async function runChecks(checks: readonly Check[], deps: Omit<CheckDeps, 'signal'>, msMax = checkMsMax): Promise<Finding[]> {
  const findings = await Promise.all(checks.map((check) => runCheck(check, deps, msMax)));
  return findings.flat();
}

async function runCheck(check: Check, deps: Omit<CheckDeps, 'signal'>, msMax: number): Promise<Finding[]> {
  const { subject, fix, run } = check;
  const signal = AbortSignal.timeout(msMax);
  const timedOut = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${msMax / 1000} s`)));
  });
  try {
    return await Promise.race([run({ ...deps, signal }), timedOut]);
  } catch (error) {
    return [failed(subject, messageOf(error), typeof fix === 'string' ? fix : fix(error))];
  }
}

/** The reason of an error. After attempts at several addresses, each has its own reason. The reason of a failed `fetch` is in the cause. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  const { message = '', code = '', cause } = error as { message?: string; code?: string; cause?: unknown };
  if (message === 'fetch failed' && cause instanceof Error) return messageOf(cause);
  return message === '' ? code : (message.split('\n')[0] ?? '');
}
