/** Base of every table whose rows belong to one workspace: the easy way to query is the scoped way. */
import { type Attributes, Model, type ModelStatic, type Order, type WhereOptions } from 'sequelize';
import type { Columns } from './columns.js';
import type { ModelOf } from './model-of.js';
import { notFound, type ResourceName } from '../errors.js';
import { isUuid } from '../rules/values/text.js';

abstract class Owned extends Model {
  /** The name that the 404 of this resource carries. */
  static readonly resource: ResourceName;
  /** Ids are UUIDv7: the largest is the newest, and ties cannot happen. */
  static readonly newestFirst: Order = [['id', 'DESC']];
  declare id: string;
  declare workspace_id: string;

  /**
   * The row with this id in this workspace.
   * @throws AppError 404 for an unknown, malformed or foreign id alike, so that ids of others cannot be probed
   */
  static async owned<T extends OwnedRow>(this: OwnedStatic<T>, workspaceId: string, id: string): Promise<T> {
    const where = { id, workspace_id: workspaceId } as unknown as WhereOptions<Attributes<T>>;
    const row = isUuid(id) ? await this.findOne({ where }) : null;
    if (row === null) throw notFound(this.resource);
    return row;
  }

  /**
   * One page of this workspace's rows, newest first, and how many there are in all.
   * @param page from 1
   * @param limit rows per page
   * @param total how many there are, where that is known without counting
   */
  static async ownedPage<T extends OwnedRow>(
    this: OwnedStatic<T>,
    workspaceId: string,
    { page, limit, where = {}, ...known }: { page: number; limit: number; where?: WhereOptions<Attributes<T>>; total?: number | undefined },
  ): Promise<{ rows: T[]; total: number }> {
    const scoped = { ...where, workspace_id: workspaceId } as unknown as WhereOptions<Attributes<T>>;
    const total = known.total ?? (await this.count({ where: scoped }));
    const offset = (page - 1) * limit;
    const rows = offset >= total ? [] : await this.findAll({ where: scoped, order: this.newestFirst, limit, offset });
    return { rows, total };
  }
}

type OwnedRow = Model & { id: string; workspace_id: string };
type OwnedStatic<T extends OwnedRow> = ModelStatic<T> & { readonly resource: ResourceName; readonly newestFirst: Order };

/** The base class of a model whose rows belong to a workspace. */
export function ownedOf<C extends Columns>(columns: C): ModelOf<C, typeof Owned> {
  abstract class WithColumns extends Owned {
    static readonly columns = columns;
  }
  return WithColumns as unknown as ModelOf<C, typeof Owned>;
}
