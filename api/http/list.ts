/** Lists: every endpoint that returns a part of a list is declared with `list`, which gives it pages, cursors and the shape of its response. */
import Joi from 'joi';
import { invalidCursor } from '../../models/errors.js';
import type { Listed, ListWindow, SortColumn } from '../../models/rules/values/list-window.js';
import type { Caller } from './caller.js';
import { readCursor, writeCursor } from './cursor.js';
import { type Auth, type Declaration, declaring, type Endpoint, type Input, type Wrap } from './endpoint.js';
import { type PageQuery, pageOf, pageQuery } from './schemas/schemas.js';

interface ListDeclaration<A extends Auth, Path extends string, Filters extends object, Services>
  extends Pick<Declaration<A, Path, Filters, object, Services>, 'id' | 'tag' | 'path' | 'summary' | 'auth' | 'rate'> {
  /** The name of the list in `data`: the plural of the resource. */
  name: string;
  /** The schema of one row of the response. */
  row: Joi.Schema;
  /** Query parameters in addition to `page`, `limit` and `cursor`. */
  filters?: Joi.ObjectSchema<Filters>;
  /** The sort columns. An index must begin with the owner and these columns, because cursors point into it. Default: the id. */
  sort?: readonly SortColumn[];
  /** `find` reads in several steps, and waits for a turn before each. Default: `find` is one turn. */
  inSteps?: true;
  /** Reads the rows of a window, newest first, and returns them as shown. */
  find(
    input: { caller: Caller; filters: Filters; window: ListWindow } & Pick<Input<A, Path, Filters, object>, 'params'>,
    deps: Services,
  ): Promise<Listed<object>>;
}

/**
 * Returns the function that declares lists whose `find` uses these services. The response has the rows and `pagination`. With a cursor
 * `total` and `pages` are null. Refuses a cursor of another list, workspace or set of filters with 400 (docs/contract/README.md, Lists).
 * @param costly see `declaring`. A late page, a total and a search may read the whole list, so every list is costly
 */
export function declaringLists<Services>(costly: Wrap<Services>) {
  return <A extends Exclude<Auth, 'none' | 'provider'>, Path extends string, Filters extends object = object>(
    declaration: ListDeclaration<A, Path, Filters, Services>,
  ): Endpoint<Services> => {
    const { name, row, filters: filterSchema, sort = ['id'], inSteps, find, ...rest } = declaration;
    const query = Joi.object<PageQuery & Filters>(pageQuery as Joi.SchemaMap);
    return declaring<Services>(costly)<Auth, Path, PageQuery & Filters>({
      ...rest,
      method: 'get',
      ...(inSteps ? {} : { costly: true }),
      query: filterSchema === undefined ? query : query.concat(filterSchema as Joi.ObjectSchema<PageQuery & Filters>),
      response: pageOf(name, row),
      async handler({ caller: maybe, params, query: { page = 1, limit, cursor, ...others } }, deps) {
        const caller = maybe as Caller;
        const filters = others as unknown as Filters;
        const scope = { id: rest.id, workspaceId: caller.workspaceId, params, filters };
        const after = cursor === undefined ? null : readCursor(cursor, scope, sort);
        if (cursor !== undefined && after === null) throw invalidCursor();
        const window = after === null ? { page, limit } : { after, limit };
        const { rows, total, next } = await find({ caller, params, filters, window }, deps);
        const pages = total === null ? null : Math.ceil(total / limit);
        const next_cursor = next === null ? null : writeCursor(next, scope);
        return { [name]: rows, pagination: { total, page, pages, limit, next_cursor } };
      },
    });
  };
}
