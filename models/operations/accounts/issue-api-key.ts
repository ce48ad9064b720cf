import { v7 as uuidv7 } from 'uuid';
import { ApiKey, type NewApiKey } from '../../api-key.js';
import { type Database, inTransaction, select } from '../../database.js';
import type { Origin } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { hasHadItsShare } from '../issue-mail.js';

/**
 * Makes a key, as its owner asks, and tells the owner by mail.
 * @returns the key, which is shown once, and the id of the mail, null after twenty within an hour
 */
export function issueApiKey(
  db: Database,
  secretKey: string,
  wanted: NewApiKey,
  origin: Origin,
): Promise<{ row: ApiKey; key: string; mailId: string | null }> {
  return inTransaction(db, async (transaction) => {
    const issued = await ApiKey.issue(secretKey, wanted, transaction);
    const { id, workspace_id: workspaceId, name, scopes } = issued.row;
    const target = { type: 'api_key', id, name };
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'api_key.created', target, changes: { scopes } });
    // Whoever makes keys fills nobody's mailbox: the address may be that of somebody else.
    if (await hasHadItsShare(db, transaction, workspaceId, 'new_api_key')) return { ...issued, mailId: null };
    const mailId = uuidv7();
    await select(db, tell, [mailId, workspaceId, JSON.stringify({ key: name, address: origin.address })], transaction);
    return { ...issued, mailId };
  });
}

const tell = `INSERT INTO mails (id, workspace_id, kind, detail) VALUES ($1, $2, 'new_api_key', $3)`;
