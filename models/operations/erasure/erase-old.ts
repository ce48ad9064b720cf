/**
 * Retention: erases messages by their age, oldest first, page by page. Every page is a short transaction. It skips messages and batches that are
 * locked, and waits only for locks of what belongs to the messages, such as their reports and events. A sweep stores its place. Messages and
 * batches that it could not erase yet wait in a queue.
 */
import { currentTime, type Database, select, selectIds } from '../../db/database.js';
import { idBefore, lowestId } from '../../rules/values/id-time.js';
import { batchesDueForErasure, eraseBatchesOrQueue } from './erase-batches.js';
import { erasurePage } from './erase-messages.js';
import { emptying, saysSomething } from './empty-reports.js';
import { dueForErasure, eraseOrQueue } from './erasure-queue.js';

const dayMs = 86_400_000;
/** An old message or batch that is still open is checked again after this time. */
const againInSeconds = 3_600;
const reportsPage = 1_000;

/** What is swept: the old rows of one workspace, or of all. */
interface Sweep {
  kind: 'messages' | 'batches' | 'reports';
  workspaceId: string | null;
  /** Greater than the ids of the rows that are old enough, by the database's clock. */
  before: string;
}

/**
 * Erases messages that are older than the days of the installation or of their workspace, whichever is fewer. Takes one page of each sweep
 * in turn, until nothing is left or the time is over. The next call continues.
 * @param days of the installation; 0: never
 * @param untilMs milliseconds since 1970
 * @returns how many messages were erased
 */
export async function eraseOld(db: Database, key: Buffer, days: number, untilMs: number): Promise<number> {
  let erased = 0;
  let open = await sweepsOf(db, days);
  let isQueueDue = true;
  while ((open.length > 0 || isQueueDue) && Date.now() < untilMs) {
    if (isQueueDue) {
      const queued = await eraseQueued(db, key, days);
      erased += queued.erased;
      isQueueDue = queued.wasDue;
    }
    const more: Sweep[] = [];
    for (const sweep of open) {
      if (Date.now() >= untilMs) break;
      const page = await nextPage(db, key, sweep);
      erased += page.erased;
      if (page.isFull) more.push(sweep);
    }
    open = more;
  }
  return erased;
}

/**
 * A page of the messages and batches that earlier sweeps could not erase yet. They stay in the queue as long as they are kept for more days by now.
 * @returns whether any were due
 */
async function eraseQueued(db: Database, key: Buffer, days: number): Promise<{ erased: number; wasDue: boolean }> {
  const ids = await dueForErasure(db, null);
  const batches = await batchesDueForErasure(db);
  const kept = await selectIds(db, keptOf('messages'), [ids, days]);
  const erased = await eraseOrQueue(db, key, { cause: null, ids, kept, againInSeconds });
  const keptBatches = await selectIds(db, keptOf('batches'), [batches, days]);
  await eraseBatchesOrQueue(db, key, { ids: batches, kept: keptBatches, againInSeconds });
  return { erased, wasDue: ids.length > 0 || batches.length > 0 };
}

/** Those that are not old enough: their workspace or the installation has got more days since they were queued. */
const keptOf = (kind: 'messages' | 'batches') => `
  SELECT r.id FROM ${tables[kind]} r JOIN workspaces w ON w.id = r.workspace_id
  WHERE r.id = ANY($1::uuid[])
    AND (r.created_at <= now() - LEAST(NULLIF($2::integer, 0), NULLIF(w.message_days, 0)) * interval '24 hours') IS NOT TRUE`;

async function sweepsOf(db: Database, days: number): Promise<Sweep[]> {
  const own = await select<{ id: string; message_days: number }>(db, withOwnDays);
  const kinds = ['messages', 'batches'] as const;
  const now = (await currentTime(db)).getTime();
  const idOfAge = (age: number) => idBefore(new Date(now - age * dayMs));
  return [
    ...(days > 0 ? ([...kinds, 'reports'] as const).map((kind) => ({ kind, workspaceId: null, before: idOfAge(days) })) : []),
    ...own.flatMap(({ id, message_days }) =>
      days > 0 && message_days >= days ? [] : kinds.map((kind) => ({ kind, workspaceId: id, before: idOfAge(message_days) })),
    ),
  ];
}

// Random order: if the time is too short for all workspaces, others come first the next time.
const withOwnDays = 'SELECT id, message_days FROM workspaces WHERE message_days > 0 ORDER BY random()';

async function nextPage(db: Database, key: Buffer, sweep: Sweep): Promise<{ erased: number; isFull: boolean }> {
  const { kind, workspaceId, before } = sweep;
  const size = kind === 'reports' ? reportsPage : erasurePage;
  const bind = [before, workspaceId ?? lowestId, ...(workspaceId === null ? [] : [workspaceId])];
  const ids = await selectIds(db, pageOf(kind, workspaceId !== null, size), bind);
  const last = ids.at(-1);
  if (last === undefined) return { erased: 0, isFull: false };
  let erased = 0;
  if (kind === 'messages') erased = await eraseOrQueue(db, key, { cause: null, ids, againInSeconds });
  else if (kind === 'batches') await eraseBatchesOrQueue(db, key, { ids, againInSeconds });
  else await select(db, eraseReports, [ids, key]);
  await select(db, moveOn, [workspaceId ?? lowestId, kind, last]);
  return { erased, isFull: ids.length === size };
}

/** The start of a page is a scalar, and its size is written out: see forget-webhook-data.ts. */
const pageOf = (kind: Sweep['kind'], isOwn: boolean, size: number) => `
  SELECT r.id FROM ${tables[kind]} r
  WHERE r.id > COALESCE((SELECT place FROM erasure_places WHERE workspace_id = $2 AND kind = '${kind}'), '${lowestId}')
    AND r.id < $1${isOwn ? ' AND r.workspace_id = $3' : ''}
  ORDER BY r.id LIMIT ${size}`;

const tables = { messages: 'messages', batches: 'batches', reports: 'delivery_reports' } as const;

const moveOn = `
  INSERT INTO erasure_places AS p (workspace_id, kind, place) VALUES ($1, $2, $3)
  ON CONFLICT (workspace_id, kind) DO UPDATE SET place = GREATEST(p.place, excluded.place)`;

/** Reports of messages are erased with their messages. These are the reports that matched no message, or had no effect. */
const eraseReports = `
  WITH given AS MATERIALIZED (
    SELECT d.id FROM delivery_reports d WHERE d.id = ANY($1::uuid[]) AND ${saysSomething} AND (d.applied_at IS NOT NULL OR d.group_id IS NULL)
    ORDER BY d.id FOR UPDATE SKIP LOCKED
  ), ${emptying('given', '$2')} SELECT 1`;
