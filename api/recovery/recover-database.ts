/** Finds restored work in an uncertain state, and marks or ends it. Each page is a transaction, so no lock is held for long. Safe to repeat. */
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import type { Recovery } from '../../models/operations/recovery/begin-recovery.js';
import { closeRestoredChains, countRestoredChains } from '../../models/operations/recovery/close-restored-chains.js';
import { fenceBatch } from '../../models/operations/batches/fence-batch.js';
import { fenceMessages } from '../../models/operations/messages/fence-messages.js';
import { endPositions } from '../../models/operations/streams/end-positions.js';
import { clearRetrierTimes } from '../../models/operations/recovery/clear-retrier-times.js';
import { markUncertain, type RestoredQueued, restoredQueued } from '../../models/operations/recovery/mark-uncertain.js';
import { noteRestoredAwaiting, restoredAwaiting } from '../../models/operations/recovery/awaited-reports.js';
import { type GroupCursor, openGroups } from '../../models/operations/watch/open-groups.js';
import { undecidedBatches, undecidedMessages } from '../../models/operations/recovery/undecided-sends.js';
import { suspectedAccounts, verdictOf } from '../../models/rules/routing/recovery.js';

/** The findings of a recovery. The lists contain ids. */
export interface RecoveryFindings {
  /** Messages and batches that were not accepted yet. They are deleted; they were never charged. */
  undecided_messages: string[];
  undecided_batches: string[];
  /** Possibly handed off. */
  uncertain: string[];
  /** Those of `uncertain` whose batch is paused. They are resolved when the owner resumes or cancels it. */
  uncertain_paused: string[];
  /** Not handed off: scheduled for later. Some may have been cancelled in the lost time. */
  scheduled: string[];
  /** Not handed off: their batch is cancelled. */
  cancelled: string[];
  /** Handed off before the restore time; their report may be lost. */
  awaiting_report: string[];
  /** How many fallback chains were ended. */
  fallbacks: number;
}

interface RecoverOptions {
  db: Database;
  config: Pick<Config, 'routes' | 'accounts'>;
  recovery: Recovery;
  /** How long uncertain messages wait for their report. */
  waitSeconds: number;
  /** Only reads. */
  dryRun: boolean;
}

const page = 1_000;
/** Groups per transaction: fewer if their messages are changed than if they are only noted. A group has up to 250 messages. */
const groupsToChange = 10;
const groupsToNote = 100;
/** Groups per read: each one reads and sorts all open groups, because no index has them in this order. */
const groupsToRead = 10_000;

/** Recovers the database, or only reads it in a dry run. @returns what it found */
export async function recoverDatabase(options: RecoverOptions): Promise<RecoveryFindings> {
  const { db, dryRun } = options;
  const undecided = await fenceUndecided(options);
  const queued = await markQueued(options);
  const fallbacks = dryRun ? await countRestoredChains(db, options.recovery) : await closeChains(options);
  if (!dryRun) while ((await clearRetrierTimes(db, page)) === page);
  if (!dryRun) await endPositions(db);
  return { ...undecided, ...queued, awaiting_report: await noteAwaited(options), fallbacks };
}

async function fenceUndecided({
  db,
  recovery,
  dryRun,
}: RecoverOptions): Promise<Pick<RecoveryFindings, 'undecided_messages' | 'undecided_batches'>> {
  const messages: string[] = [];
  await forOpenGroups(db, groupsToChange, async (groupIds) => {
    const ids = await undecidedMessages(db, recovery, groupIds);
    if (!dryRun) await fenceMessages(db, ids);
    for (const id of ids) messages.push(id);
  });
  const batches = await allPages(async (after) => {
    const ids = await undecidedBatches(db, recovery, after, page);
    if (!dryRun) for (const id of ids) await fenceBatch(db, id);
    return ids;
  });
  return { undecided_messages: messages, undecided_batches: batches };
}

/** Calls `visit` with all open groups, oldest first, some at a time. */
async function forOpenGroups(db: Database, groupsAtOnce: number, visit: (groupIds: string[]) => Promise<void>): Promise<void> {
  let after: GroupCursor | null = null;
  do {
    const groups: GroupCursor[] = await openGroups(db, after, groupsToRead);
    for (let at = 0; at < groups.length; at += groupsAtOnce) await visit(groups.slice(at, at + groupsAtOnce).map(({ id }) => id));
    after = groups.length < groupsToRead ? null : (groups.at(-1) ?? null);
  } while (after !== null);
}

async function allPages(next: (after: string | null) => Promise<string[]>): Promise<string[]> {
  const all: string[] = [];
  for (let ids = await next(null); ; ids = await next(ids.at(-1) ?? null)) {
    for (const id of ids) all.push(id);
    if (ids.length < page) return all;
  }
}

async function markQueued({ db, config, recovery, waitSeconds, dryRun }: RecoverOptions) {
  const found: Pick<RecoveryFindings, 'uncertain' | 'uncertain_paused' | 'scheduled' | 'cancelled'> = {
    uncertain: [],
    uncertain_paused: [],
    scheduled: [],
    cancelled: [],
  };
  await forOpenGroups(db, groupsToChange, async (groupIds) => {
    const uncertain: RestoredQueued[] = [];
    for (const row of await restoredQueued(db, recovery, groupIds)) {
      const verdict = row.is_marked ? 'uncertain' : verdictOf(row, recovery.stopped_at);
      found[verdict].push(row.id);
      if (verdict !== 'uncertain') continue;
      uncertain.push(row);
      if (row.batch_status === 'paused') found.uncertain_paused.push(row.id);
    }
    const suspicions = uncertain.map(({ id, channel, uncertain_at }) => ({
      id,
      accounts: suspectedAccounts(config, channel, uncertain_at),
    }));
    if (!dryRun && suspicions.length > 0) await markUncertain(db, recovery, suspicions, waitSeconds);
  });
  return found;
}

async function closeChains({ db, recovery }: RecoverOptions): Promise<number> {
  for (let sum = 0; ; ) {
    const closed = await closeRestoredChains(db, recovery, page);
    sum += closed;
    if (closed < page) return sum;
  }
}

async function noteAwaited({ db, recovery, dryRun }: RecoverOptions): Promise<string[]> {
  const all: string[] = [];
  const find = dryRun ? restoredAwaiting : noteRestoredAwaiting;
  await forOpenGroups(db, groupsToNote, async (groupIds) => {
    for (const id of await find(db, recovery, groupIds)) all.push(id);
  });
  return all;
}
