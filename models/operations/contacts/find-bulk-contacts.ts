/** Reads the contacts that a bulk send refers to, in parts, so that other requests do not wait for all of them. */
import type { Channel } from '../../channels.js';
import { type Database, select } from '../../db/database.js';
import { lowestId } from '../../rules/values/id-time.js';
import { addressField } from '../../rules/messages/recipient.js';
import { isUuid } from '../../rules/values/text.js';
import type { BulkContact } from '../../rules/bulk/bulk-contact.js';

const partSize = 500;
const columns = 'SELECT id, name, phone, email, custom_fields FROM contacts';

/** The contacts of this workspace with these ids. Unknown and foreign ids, and texts that are no id, are left out. */
export async function bulkContactsById(db: Database, workspaceId: string, ids: readonly string[]): Promise<Map<string, BulkContact>> {
  const wanted = [...new Set(ids.filter(isUuid).map((id) => id.toLowerCase()))];
  const found = new Map<string, BulkContact>();
  for (let from = 0; from < wanted.length; from += partSize) {
    for (const contact of await select<BulkContact>(db, byId, [workspaceId, wanted.slice(from, from + partSize)])) {
      found.set(contact.id, contact);
    }
  }
  return found;
}

const byId = `${columns} WHERE workspace_id = $1 AND id = ANY($2::uuid[])`;

/** The contacts with the tag that the channel reaches, oldest first, up to a limit. */
export async function bulkContactsByTag(
  db: Database,
  workspaceId: string,
  { tag, channel, limit }: { tag: string; channel: Channel; limit: number },
): Promise<Map<string, BulkContact>> {
  const found = new Map<string, BulkContact>();
  for (let after = lowestId; found.size < limit; ) {
    const part = await select<BulkContact>(db, byTag(channel), [workspaceId, tag, after, Math.min(partSize, limit - found.size)]);
    for (const contact of part) found.set(contact.id, contact);
    const last = part.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  return found;
}

const byTag = (channel: Channel) => `${columns}
  WHERE workspace_id = $1 AND tags @> ARRAY[$2::text] AND id > $3 AND ${addressField(channel)} IS NOT NULL
  ORDER BY id LIMIT $4`;
