import { type Attributes, type FindOptions, type Model, type ModelStatic, Op, type WhereOptions } from 'sequelize';
import { type Database, select } from '../../db/database.js';
import { inPages } from '../../db/in-pages.js';
import type { ReadTurn } from '../../flow/concurrency-limit.js';
import { lowestId } from '../../rules/values/id-time.js';
import { Batch, type BatchRow, briefBatchColumns } from '../../tables/batch.js';
import { type AuditEvent, auditEventsAfter } from '../audit/list-audit-events.js';
import type { ErasureView } from '../erasure/begin-erasure.js';

const page = 200;

/** A table whose rows have ids that sort by time. */
type SortedModel<M extends Model> = ModelStatic<M> & (new () => M & { id: string });

/** How the pages of an export are read. */
export interface Pages {
  until: string;
  turn: ReadTurn;
}

/**
 * All rows of an owner, oldest first, in pages.
 * @param where at least the owner, which is the first column of an index
 * @param until rows with a later id are left out, so that the export ends for a slow reader too. It must be later than the ids of all present rows,
 *   also of those from a process whose clock is ahead
 * @param turn runs the read of a page when it may use a connection
 * @param include what belongs to each row
 * @param attributes the columns that are read, at least the id. Default: all
 */
export function exportRows<M extends Model>(
  model: SortedModel<M>,
  where: ({ workspace_id: string } | { webhook_id: string }) & Record<string, unknown>,
  { until, turn, include = [], attributes }: Pages & { include?: NonNullable<FindOptions['include']>; attributes?: string[] },
): AsyncGenerator<M, void, undefined> {
  const columns = attributes === undefined ? {} : { attributes };
  return inPages<M>(page, (last) => {
    const id = { [Op.lte]: until, ...(last === undefined ? {} : { [Op.gt]: (last as M & { id: string }).id }) };
    const scoped = { ...where, id } as unknown as WhereOptions<Attributes<M>>;
    return turn(() => model.findAll({ where: scoped, order: [['id', 'ASC']], limit: page, include, ...columns }));
  });
}

/** The accepted batches of a workspace, in the same way. Their errors may have two megabytes each, so those of one batch at a time are in memory. */
export async function* batchesOf(workspaceId: string, { until, turn }: Pages): AsyncGenerator<BatchRow, void, undefined> {
  const decided = { workspace_id: workspaceId, status: { [Op.ne]: 'accepting' } };
  for await (const batch of exportRows(Batch, decided, { until, turn, attributes: briefBatchColumns })) {
    const { id, invalid } = batch;
    const read = invalid === 0 ? null : await turn(() => Batch.findByPk(id, { attributes: ['errors'] }));
    yield { ...batch.get(), errors: read?.errors ?? [] };
  }
}

/** The audit events of a workspace up to now, in the same way. */
export function auditEventsOf(db: Database, workspaceId: string, turn: ReadTurn): AsyncGenerator<AuditEvent, void, undefined> {
  const until = new Date();
  return inPages<AuditEvent & { micros: number }>(page, (last) =>
    turn(() => auditEventsAfter(db, workspaceId, { after: last ?? null, until, limit: page })),
  );
}

/** The erasures of a workspace, in the same way. */
export const erasuresOf = (db: Database, workspaceId: string, { until, turn }: Pages): AsyncGenerator<ErasureView, void, undefined> =>
  inPages(page, (last) => turn(() => select<ErasureView>(db, nextErasures, [workspaceId, last?.id ?? lowestId, until])));

const nextErasures = `
  SELECT id, status, messages FROM erasures WHERE workspace_id = $1 AND id > $2 AND id <= $3 ORDER BY id LIMIT ${page}`;
