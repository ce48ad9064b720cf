/**
 * For operators: applies stored delivery reports again, for example after a bug in their processing was fixed.
 * Entry point: `node dist/api/replay-reports.js [--provider <name>] [--message <id>] [--since <time>] [--until <time>] [--unmatched]`.
 */
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../models/settings/config.js';
import { commandEnvironment } from '../models/settings/environment.js';
import { connect } from '../models/db/database.js';
import { type ReportFilter, replayReports } from '../models/operations/reports/replay-reports.js';
import { isUuid } from '../models/rules/values/text.js';
import { readTimestamp } from '../models/rules/values/timestamp.js';
import { connectTemporal } from './outside/temporal.js';

const options = {
  provider: { type: 'string' },
  message: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  unmatched: { type: 'boolean' },
} as const;

/** @throws Error with what is wrong with the arguments */
function filterFrom(args: string[]): ReportFilter {
  const { provider, message, since, until, unmatched = false } = parseArgs({ args, options }).values;
  if (message !== undefined && !isUuid(message)) throw new Error('--message must be the id of a message');
  const moment = (name: string, text: string | undefined) => {
    if (text === undefined) return undefined;
    const read = readTimestamp(text);
    if (read === null) throw new Error(`--${name} must be a time such as 2026-11-20T08:00:00Z`);
    return read.at;
  };
  return { provider, messageId: message, since: moment('since', since), until: moment('until', until), unmatched };
}

/** Replays the reports page by page. If a workflow cannot be signalled now, the watcher does it later. @returns how many reports were replayed, and how many of them match no message */
async function replayAll(filter: ReportFilter): Promise<{ reports: number; unmatched: number }> {
  const config = loadConfig(commandEnvironment());
  const [db, temporal] = [connect(config.databaseUrl, 2), connectTemporal(config)];
  const sum = { reports: 0, unmatched: 0 };
  try {
    for (let last: string | null = null, isFirst = true; isFirst || last !== null; isFirst = false) {
      const page = await replayReports(db, filter, last);
      await Promise.allSettled(page.wakes.map((wake) => temporal.wake(wake)));
      sum.reports += page.reports;
      sum.unmatched += page.unmatched;
      last = page.last;
    }
  } finally {
    await Promise.allSettled([temporal.close(), db.close()]);
  }
  return sum;
}

try {
  const { reports, unmatched } = await replayAll(filterFrom(process.argv.slice(2)));
  process.stdout.write(`${reports} reports were applied again. ${unmatched} of them match no message.\n`);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? '' : 'Replay stopped: '}${(error as Error).message}\n`);
  process.exitCode = 1;
}
