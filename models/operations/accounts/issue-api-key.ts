import { ApiKey, type NewApiKey } from '../../api-key.js';
import { type Database, inTransaction } from '../../database.js';
import type { Origin } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';

/** Makes a key, as its owner asks. The returned `key` is shown once. */
export function issueApiKey(db: Database, secretKey: string, wanted: NewApiKey, origin: Origin): Promise<{ row: ApiKey; key: string }> {
  return inTransaction(db, async (transaction) => {
    const issued = await ApiKey.issue(secretKey, wanted, transaction);
    const { id, workspace_id: workspaceId, name, scopes } = issued.row;
    const target = { type: 'api_key', id, name };
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'api_key.created', target, changes: { scopes } });
    return issued;
  });
}
