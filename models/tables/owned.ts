/** The base class of tables whose rows belong to a workspace. Its queries always name the workspace. */
import { type Attributes, Model, type ModelStatic, Op, type Order, type Transaction, type WhereOptions } from 'sequelize';
import type { Columns } from './columns.js';
import type { ModelOf } from './model-of.js';
import { notFound, type ResourceName } from '../errors.js';
import { type Listed, type ListWindow, readWindow } from '../rules/values/list-window.js';
import { isUuid } from '../rules/values/text.js';

abstract class Owned extends Model {
  /** The name of this resource in the message of `notFound`. */
  static readonly resource: ResourceName;
  declare id: string;
  declare workspace_id: string;

  /**
   * The row with this id in this workspace.
   * @throws AppError not_found in the same way for unknown, malformed and foreign ids, so that clients cannot test ids of others
   */
  static async owned<T extends OwnedRow>(this: OwnedStatic<T>, workspaceId: string, id: string, transaction?: Transaction): Promise<T> {
    const where = { id, workspace_id: workspaceId } as unknown as WhereOptions<Attributes<T>>;
    const row = isUuid(id) ? await this.findOne({ where, transaction: transaction ?? null }) : null;
    if (row === null) throw notFound(this.resource);
    return row;
  }

  /**
   * A part of this workspace's rows, newest first. A place is the id of a row.
   * @param count counts the rows in another way than by reading `all`. Its number may be of another moment, so no page is found from the end
   */
  static async ownedPage<T extends OwnedRow>(
    this: OwnedStatic<T>,
    workspaceId: string,
    window: ListWindow,
    { where = {}, count }: { where?: WhereOptions<Attributes<T>>; count?: (all: () => Promise<number>) => Promise<number> } = {},
  ): Promise<Listed<T>> {
    const scoped = { ...where, workspace_id: workspaceId } as unknown as WhereOptions<Attributes<T>>;
    const all = () => this.count({ where: scoped });
    return readWindow<T>(window, {
      count: () => (count === undefined ? all() : count(all)),
      find: async ({ after, limit, offset }, total) => {
        const find = (place: object) => this.findAll({ where: { ...scoped, ...place }, order: newestFirst, limit });
        if (after !== null) return find({ id: { [Op.lt]: after[0] } });
        if (offset === 0) return find({});
        // The rows up to the page are skipped in the index, from the nearer end. Reading them all would take five times as long.
        const fromEnd = total === null || count !== undefined ? offset : total - 1 - offset;
        const place = fromEnd < offset ? { order: oldestFirst, offset: fromEnd } : { order: newestFirst, offset };
        const first = await this.findOne({ attributes: ['id'], where: scoped, ...place });
        return first === null ? [] : find({ id: { [Op.lte]: first.id } });
      },
      placeOf: ({ id }) => [id],
    });
  }
}

/** Ids are UUIDv7: the largest is the newest, and no two are equal. */
const newestFirst: Order = [['id', 'DESC']];
const oldestFirst: Order = [['id', 'ASC']];

type OwnedRow = Model & { id: string; workspace_id: string };
type OwnedStatic<T extends OwnedRow> = ModelStatic<T> & { readonly resource: ResourceName };

/** The base class of a model whose rows belong to a workspace. */
export function ownedOf<C extends Columns>(columns: C): ModelOf<C, typeof Owned> {
  abstract class WithColumns extends Owned {
    static readonly columns = columns;
  }
  return WithColumns as unknown as ModelOf<C, typeof Owned>;
}
