import { type Attributes, type Model, type ModelStatic, Op, type WhereOptions } from 'sequelize';

const page = 200;

/** A table whose rows belong to workspaces and have ids that sort by time. */
type OwnedModel<M extends Model> = ModelStatic<M> & (new () => M & { id: string; workspace_id: string });

/**
 * All rows of a workspace, oldest first, with one page in memory at a time. The next page is read when the one before is used up, so that
 * no transaction stays open while a client reads slowly.
 * @param until rows with a later id are left out, so that the export ends for a slow reader too
 * @param turn runs the read of a page when it may use a connection
 */
export async function* rowsOfWorkspace<M extends Model>(
  model: OwnedModel<M>,
  workspaceId: string,
  { until, turn, where = {} }: { until: string; turn: <Result>(read: () => Promise<Result>) => Promise<Result>; where?: object },
): AsyncGenerator<M, void, undefined> {
  let after: string | undefined;
  for (;;) {
    const id = { [Op.lte]: until, ...(after === undefined ? {} : { [Op.gt]: after }) };
    const scoped = { ...where, workspace_id: workspaceId, id } as unknown as WhereOptions<Attributes<M>>;
    const rows: M[] = await turn(() => model.findAll({ where: scoped, order: [['id', 'ASC']], limit: page }));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    after = (last as M & { id: string }).id;
  }
}
