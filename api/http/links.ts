/** `Link` headers (RFC 8288) of lists: first, prev, next and last page, with the same filters. */
import type { Request } from 'express';
import type Joi from 'joi';
import type { Endpoint } from './endpoint.js';

/** The maximum length of the header. A proxy such as nginx answers 502 if all headers exceed its buffer of 4 kB. */
const lengthMax = 1200;

interface Pagination {
  page: number;
  /** Null with a cursor. */
  pages: number | null;
  limit: number;
  next_cursor?: string | null;
}

/**
 * The value of the header; undefined if the response is not a list, is the last page of a walk with a cursor, or if even the links to the previous
 * and the next page are too long.
 */
export function linksOf({ query }: Endpoint, req: Pick<Request, 'path' | 'query'>, data: object, publicUrl: string): string | undefined {
  if (query === undefined || !('pagination' in data)) return undefined;
  const { page, pages, limit, next_cursor } = data.pagination as Pagination;
  const declared = namesIn(query);
  const filters = new URLSearchParams();
  for (const name of declared) if (typeof req.query[name] === 'string') filters.set(name, req.query[name]);
  filters.set('limit', String(limit));
  if (pages === null) {
    if (next_cursor === null || next_cursor === undefined) return undefined;
    filters.set('cursor', next_cursor);
    return fitting([`<${publicUrl}${req.path}?${filters.toString()}>; rel="next"`]);
  }
  const last = Math.max(pages, 1);
  const link = (rel: string, target: number) => {
    filters.set('page', String(target));
    return `<${publicUrl}${req.path}?${filters.toString()}>; rel="${rel}"`;
  };
  const nearby = [...(page > 1 ? [link('prev', Math.min(page - 1, last))] : []), ...(page < last ? [link('next', page + 1)] : [])];
  return fitting([link('first', 1), ...nearby, link('last', last)]) ?? fitting(nearby);
}

/** The links as one header; undefined if there is none, or if it would be too long. */
function fitting(links: readonly string[]): string | undefined {
  const header = links.join(', ');
  return header === '' || header.length > lengthMax ? undefined : header;
}

const names = new WeakMap<Joi.ObjectSchema, readonly string[]>();

/** The parameter names of a query, cached: Joi's describe() costs more than the rest of a list response. */
function namesIn(query: Joi.ObjectSchema): readonly string[] {
  const known = names.get(query) ?? Object.keys((query.describe().keys ?? {}) as object);
  names.set(query, known);
  return known;
}
