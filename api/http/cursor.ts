/**
 * Cursors of lists: base64url of a version, a digest of the list and its filters, and the sort key of the last row that was shown. Clients
 * must treat a cursor as opaque. It grants nothing: a list shows only rows of the caller's workspace, whatever the cursor contains.
 */
import { createHash } from 'node:crypto';
import { isPlace, type Place, type SortColumn } from '../../models/rules/values/list-window.js';

/** What a cursor is bound to: the operation, the workspace, the path parameters and the filters. */
export interface CursorScope {
  id: string;
  workspaceId: string;
  params: object;
  filters: object;
}

/** The version of the format. A later version can still read older cursors. */
const version = '1';

/** Longer texts are refused before they are decoded. Own cursors are shorter. */
const lengthMax = 200;

export const writeCursor = (place: Place, scope: CursorScope): string =>
  Buffer.from([version, digestOf(scope), ...place].join('.')).toString('base64url');

/** Whether a text has the form of a cursor, of any list. */
export const isCursor = (text: string): boolean => partsOf(text) !== null;

/** The place in this list; null if the cursor belongs to another list or to other filters. */
export function readCursor(text: string, scope: CursorScope, sort: readonly SortColumn[]): Place | null {
  const [digest, ...place] = partsOf(text) ?? [];
  return digest === digestOf(scope) && isPlace(place, sort) ? place : null;
}

function partsOf(text: string): string[] | null {
  if (text.length > lengthMax) return null;
  const bytes = Buffer.from(text, 'base64url');
  // Node ignores characters that are not base64url, so two texts could be the same cursor.
  if (bytes.toString('base64url') !== text) return null;
  const [first, ...parts] = bytes.toString('latin1').split('.');
  return first === version && parts.length > 1 ? parts : null;
}

/** The digest detects mistakes, not attacks, so it is short and has no key. */
function digestOf({ id, workspaceId, params, filters }: CursorScope): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const sorted = given.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const scope = JSON.stringify([id, workspaceId, params, sorted]);
  return createHash('sha256').update(scope).digest('base64url').slice(0, 11);
}
