import { setTimeout as sleep } from 'node:timers/promises';
import { currentTime, type Database } from '../../../../models/db/database.js';
import { erasureKey } from '../../../../models/operations/erasure/erasure-key.js';
import {
  groupsWithReports,
  type ReplayedReports,
  type ReportFilter,
  replayReports,
} from '../../../../models/operations/reports/replay-reports.js';
import type { Wake } from '../../../../models/operations/reports/record-reports.js';
import { countText, isUuid } from '../../../../models/rules/values/text.js';
import { type Command, type ParsedArguments, type CommandContext, textIn, UsageError } from '../../command.js';
import { periodIn } from '../../read-options.js';

export const replayReportsCommand: Command = {
  name: 'replay-reports',
  takes: [],
  settings: ['DATABASE_URL', 'SECRET_KEY', 'TEMPORAL_ADDRESS'],
  options: {
    provider: { value: 'NAME', about: 'Only reports of this provider account' },
    message: { value: 'ID', about: 'Only reports of this message' },
    since: { value: 'TIME', about: 'Only reports that were received at or after this time' },
    until: { value: 'TIME', about: 'Only reports that were received before this time' },
    unmatched: { about: 'Only reports that match no message' },
  },
  summary: 'Apply stored delivery reports again, for example after a bug in their processing was fixed.',
  async run(given, context) {
    const filter = filterFrom(given);
    const { reports, unmatched, waiting } = await replayWith(filter, context);
    if (reports === 0) assertKnown(filter.provider, context.config);
    const applied = `Applied ${countText(reports - waiting, 'report')} again, ${unmatched} of them without a matching message.`;
    const rest = ` Waiting for Temporal or workers: ${countText(waiting, 'report')}, which the watcher applies when they answer.`;
    return { ok: waiting === 0, text: waiting === 0 ? applied : applied + rest, data: { reports, unmatched, waiting } };
  },
};

function filterFrom(given: ParsedArguments): ReportFilter {
  const messageId = textIn(given, 'message');
  if (messageId !== undefined && !isUuid(messageId)) throw new UsageError('--message must be the id of a message');
  return { provider: textIn(given, 'provider'), messageId, ...periodIn(given), unmatched: given.values.unmatched === true };
}

/** An account that is no longer configured may have stored reports. So a name without reports is wrong only if it is not configured either. */
function assertKnown(provider: string | undefined, { accounts }: CommandContext['config']): void {
  const names = accounts.map(({ name }) => name);
  if (provider === undefined || names.includes(provider)) return;
  throw new UsageError(`No report of the provider account "${provider}" is stored; the configured accounts are ${names.join(', ')}`);
}

type CountedWake = ReplayedReports['wakes'][number];

interface Replayed {
  reports: number;
  unmatched: number;
  /** Those of groups whose workflow could not be signalled, or did not apply them in time. The watcher wakes these groups later. */
  waiting: number;
}

/** A closed group starts a workflow for its reports. Each page waits for the one before, so that sends have their share of the workers. */
const pageSize = 50;
/** If reports cannot be applied at all, the command goes on after this time. */
const pageMsMax = 10_000;

/** @returns those that have not applied their reports in time */
async function untilApplied(db: Database, wakes: readonly CountedWake[], pageMs: number): Promise<CountedWake[]> {
  const groupIds = wakes.map(({ groupId }) => groupId);
  for (const endsAt = performance.now() + pageMs; ; await sleep(100)) {
    const pending = await groupsWithReports(db, groupIds);
    if (pending.size === 0 || performance.now() >= endsAt) return wakes.filter(({ groupId }) => pending.has(groupId));
  }
}

async function replayWith(filter: ReportFilter, { db, config }: CommandContext): Promise<Replayed> {
  const key = await erasureKey(db, config.secretKeys);
  const { connectTemporal } = await import('../../../outside/temporal.js'); // most commands need no Temporal
  const temporal = connectTemporal(config);
  try {
    return await replayAll({ db, key }, filter, (wake) => temporal.wake(wake));
  } finally {
    await temporal.close().catch(() => undefined);
  }
}

/** Replays the reports page by page. Those that arrive meanwhile are left out, or else the command might never end. */
export async function replayAll(
  { db, key }: { db: Database; key: Buffer },
  filter: ReportFilter,
  wakeGroup: (wake: Wake) => Promise<void>,
  pageMs = pageMsMax,
): Promise<Replayed> {
  const sum = { reports: 0, unmatched: 0, waiting: 0 };
  const now = new Date((await currentTime(db)).getTime() + 1); // it has no fractions of milliseconds
  const until = filter.until !== undefined && filter.until < now ? filter.until : now;
  let last: string | null = null;
  do {
    const page = await replayReports(db, key, { ...filter, until }, last, pageSize);
    const woken = await Promise.allSettled(page.wakes.map(wakeGroup));
    const unwoken = page.wakes.filter((_, at) => woken[at]?.status === 'rejected');
    const waiting = unwoken.length > 0 ? unwoken : await untilApplied(db, page.wakes, pageMs);
    sum.reports += page.reports;
    sum.unmatched += page.unmatched;
    sum.waiting += waiting.reduce((count, { reports }) => count + reports, 0);
    last = page.last;
  } while (last !== null);
  return sum;
}
