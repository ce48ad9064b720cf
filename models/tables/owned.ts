/** The base class of tables whose rows belong to a workspace. Its queries always name the workspace. */
import { type Attributes, Model, type ModelStatic, Op, type Order, type Transaction, type WhereOptions } from 'sequelize';
import type { Columns } from './columns.js';
import type { ModelOf } from './model-of.js';
import { notFound, type ResourceName } from '../errors.js';
import { type Counting, type Listed, type ListWindow, readWindow } from '../rules/values/list-window.js';
import { isUuid } from '../rules/values/text.js';

abstract class Owned extends Model {
  /** The name of this resource in the message of `notFound`. `owned` needs it. */
  static readonly resource?: ResourceName;
  declare id: string;
  declare workspace_id: string;

  /**
   * The row with this id in this workspace.
   * @throws AppError not_found in the same way for unknown, malformed and foreign ids, so that clients cannot test ids of others
   */
  static async owned<T extends OwnedRow>(this: Named<T>, workspaceId: string, id: string, transaction?: Transaction): Promise<T> {
    const where = { id, workspace_id: workspaceId } as unknown as WhereOptions<Attributes<T>>;
    const row = isUuid(id) ? await this.findOne({ where, transaction: transaction ?? null }) : null;
    if (row === null) throw notFound(this.resource);
    return row;
  }

  /** A part of this workspace's rows, newest first. A place is the id of a row. */
  static async ownedPage<T extends OwnedRow>(
    this: ModelStatic<T>,
    workspaceId: string,
    window: ListWindow,
    { where = {}, either = [{}], counting, attributes }: PageOptions<Attributes<T>> = {},
  ): Promise<Listed<T>> {
    const parts = either.map((part) => ({ [Op.and]: [where, { workspace_id: workspaceId }, part] }) as WhereOptions<Attributes<T>>);
    return readWindow<T>(window, {
      count: async () => (await oneByOne(parts, (part) => this.count({ where: part }))).reduce((sum, each) => sum + each, 0),
      counting,
      find: async ({ after, limit, offset }, total) => {
        const find = (place: object) => newestOf(this, parts, { place, limit, ...(attributes === undefined ? {} : { attributes }) });
        if (after !== null) return find({ id: { [Op.lt]: after[0] } });
        if (offset === 0) return find({});
        const isCounted = total !== null && counting === undefined;
        const first = await idAt(this, parts, { offset, fromEnd: isCounted ? total - 1 - offset : offset });
        return first === null ? [] : find({ id: { [Op.lte]: first } });
      },
      placeOf: ({ id }) => [id],
    });
  }
}

interface PageOptions<Row> {
  where?: WhereOptions<Row>;
  /**
   * The list has the rows that meet one of these conditions. No row may meet two. Each is a statement of its own, with an index of its own: for a
   * condition with OR, the planner may choose to read all rows of the workspace.
   */
  either?: readonly WhereOptions<Row>[];
  /**
   * Finds the number of rows. No page is found from the end then: a large number is mostly remembered, so of another moment, and for a small one
   * it would save little.
   */
  counting?: Counting | undefined;
  /** The columns that are read, at least the id. Default: all. */
  attributes?: string[];
}

type Parts<T extends OwnedRow> = readonly WhereOptions<Attributes<T>>[];

/** Rows of all parts after a place, newest first. */
async function newestOf<T extends OwnedRow>(
  table: ModelStatic<T>,
  parts: Parts<T>,
  { place, ...options }: { place: object; limit: number; attributes?: string[] },
): Promise<T[]> {
  const after = (part: WhereOptions<Attributes<T>>) => ({ [Op.and]: [part, place] }) as WhereOptions<Attributes<T>>;
  const found = (await oneByOne(parts, (part) => table.findAll({ where: after(part), order: newestFirst, ...options }))).flat();
  return parts.length === 1 ? found : found.toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, options.limit);
}

/** The id of the row with this many newer ones. The rows up to it are skipped in the index. Reading them all would take five times as long. */
async function idAt<T extends OwnedRow>(
  table: ModelStatic<T>,
  parts: Parts<T>,
  { offset, fromEnd }: { offset: number; fromEnd: number },
): Promise<string | null> {
  const attributes = ['id'];
  const [part] = parts;
  if (part !== undefined && parts.length === 1) {
    const nearer = fromEnd < offset ? { order: oldestFirst, offset: fromEnd } : { order: newestFirst, offset };
    return (await table.findOne({ attributes, where: part, ...nearer }))?.id ?? null;
  }
  let last: string | null = null;
  for (let left = offset + 1; left > 0; left -= idsAtOnce) {
    const limit = Math.min(left, idsAtOnce);
    const place: object = last === null ? {} : { id: { [Op.lt]: last } };
    last = (await newestOf(table, parts, { place, limit, attributes }))[limit - 1]?.id ?? null;
    if (last === null) return null;
  }
  return last;
}

/** Ids that are in memory at once. */
const idsAtOnce = 1_000;

/** A read of many rows holds one connection at a time. */
async function oneByOne<Part, Found>(parts: readonly Part[], read: (part: Part) => Promise<Found>): Promise<Found[]> {
  const found: Found[] = [];
  for (const part of parts) found.push(await read(part));
  return found;
}

/** Ids are UUIDv7: the largest is the newest, and no two are equal. */
const newestFirst: Order = [['id', 'DESC']];
const oldestFirst: Order = [['id', 'ASC']];

type OwnedRow = Model & { id: string; workspace_id: string };
type Named<T extends OwnedRow> = ModelStatic<T> & { readonly resource: ResourceName };

/** The base class of a model whose rows belong to a workspace. */
export function ownedOf<C extends Columns>(columns: C): ModelOf<C, typeof Owned> {
  abstract class WithColumns extends Owned {
    static readonly columns = columns;
  }
  return WithColumns as unknown as ModelOf<C, typeof Owned>;
}
