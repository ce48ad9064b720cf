/** Base of every table whose rows belong to one workspace: the easy way to query is the scoped way. */
import { type Attributes, Model, type ModelStatic, Op, type Order, type WhereOptions } from 'sequelize';
import type { Columns } from './columns.js';
import type { ModelOf } from './model-of.js';
import { notFound, type ResourceName } from '../errors.js';
import { type Listed, type ListWindow, readWindow } from '../rules/values/list-window.js';
import { isUuid } from '../rules/values/text.js';

abstract class Owned extends Model {
  /** The name that the 404 of this resource carries. */
  static readonly resource: ResourceName;
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
   * A part of this workspace's rows, newest first. A place is the id of a row.
   * @param count counts the rows, where that is possible without reading them
   */
  static async ownedPage<T extends OwnedRow>(
    this: OwnedStatic<T>,
    workspaceId: string,
    window: ListWindow,
    { where = {}, count }: { where?: WhereOptions<Attributes<T>>; count?: (() => Promise<number>) | undefined } = {},
  ): Promise<Listed<T>> {
    const scoped = { ...where, workspace_id: workspaceId } as unknown as WhereOptions<Attributes<T>>;
    return readWindow<T>(window, {
      count: count ?? (() => this.count({ where: scoped })),
      find: ({ after, ...range }) => {
        const older = after === null ? scoped : { ...scoped, id: { [Op.lt]: after[0] } };
        return this.findAll({ where: older, order: newestFirst, ...range });
      },
      placeOf: ({ id }) => [id],
    });
  }
}

/** Ids are UUIDv7: the largest is the newest, and ties cannot happen. */
const newestFirst: Order = [['id', 'DESC']];

type OwnedRow = Model & { id: string; workspace_id: string };
type OwnedStatic<T extends OwnedRow> = ModelStatic<T> & { readonly resource: ResourceName };

/** The base class of a model whose rows belong to a workspace. */
export function ownedOf<C extends Columns>(columns: C): ModelOf<C, typeof Owned> {
  abstract class WithColumns extends Owned {
    static readonly columns = columns;
  }
  return WithColumns as unknown as ModelOf<C, typeof Owned>;
}
