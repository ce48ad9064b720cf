/** Searches contacts. No index finds a part of a text, so a search reads all contacts of its workspace. */
import { type Database, select } from '../../db/database.js';
import type { ReadTurn } from '../../flow/concurrency-limit.js';
import { highestId } from '../../rules/values/id-time.js';
import type { Listed, ListWindow } from '../../rules/values/list-window.js';
import { codePoints } from '../../rules/values/text.js';
import { Contact, nameLengthMax } from '../../tables/contact.js';

export interface ContactSearch {
  /** A part of a name, phone number or e-mail address, in any letter case. */
  search: string;
  /** Only contacts with this tag. */
  tag?: string | undefined;
}

/** Reading this many takes a few milliseconds. */
const partSize = 10_000;

/**
 * A part of the contacts that match, newest first. Each part of the search takes a turn of its own: one statement for 200,000 contacts would use
 * a core for 0.14 s, and the sends of others would wait for it. A contact that changes meanwhile may be missing or be counted twice.
 * A text that is longer than every name finds nothing without a read: PostgreSQL would put it into lower case again for each contact.
 * @param turn runs the read of a part
 * @param size contacts in a part
 */
export async function searchContacts(
  db: Database,
  workspaceId: string,
  { search, tag }: ContactSearch,
  { window, turn, size = partSize }: { window: ListWindow; turn: ReadTurn; size?: number },
): Promise<Listed<Contact>> {
  if (codePoints(search) > nameLengthMax) return { rows: [], total: 'page' in window ? 0 : null, next: null };
  const [begin, offset] = 'page' in window ? [highestId, (window.page - 1) * window.limit] : [window.after[0] ?? highestId, 0];
  const pattern = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const ids: string[] = [];
  let found = 0;
  for (let before: string | null = begin; before !== null; ) {
    // Positions within this part. One row more than shown: it shows whether the list continues.
    const positions = [offset + 1, offset + window.limit + 1].map((position) => Math.min(Math.max(0, position - found), size + 1));
    const values: unknown[] = [workspaceId, before, size, pattern, tag ?? null, ...positions];
    const part: Part = await turn(async () => (await select<Part>(db, readPart, values))[0] ?? noPart);
    found += part.found;
    ids.push(...part.ids);
    before = 'after' in window && ids.length > window.limit ? null : part.last;
  }
  const rows = await Contact.findAll({ where: { workspace_id: workspaceId, id: ids.slice(0, window.limit) }, order: [['id', 'DESC']] });
  const lastShown = ids[window.limit - 1];
  const next = ids.length > window.limit && lastShown !== undefined ? [lastShown] : null;
  return { rows, total: 'page' in window ? found : null, next };
}

interface Part {
  /** How many of this part match. */
  found: number;
  /** The last contact that was read; null: there are no more. */
  last: string | null;
  /** Those that match, at the positions asked for. */
  ids: string[];
}

const noPart: Part = { found: 0, last: null, ids: [] };

// A phone number has no letters. Comparing it in any letter case would take a third of the time of a search.
const readPart = `
  SELECT count(*) FILTER (WHERE matches)::int AS found,
    CASE WHEN count(*) = $3 THEN (array_agg(id))[$3] END AS last,
    COALESCE((array_agg(id) FILTER (WHERE matches))[$6:$7], '{}') AS ids
  FROM (
    SELECT id, (name ILIKE $4 OR phone LIKE $4 OR email ILIKE $4) IS TRUE AND ($5::text IS NULL OR tags @> ARRAY[$5::text]) AS matches
    FROM contacts WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3::int
  ) part`;
