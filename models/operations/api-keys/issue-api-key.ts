import { ApiKey, type NewApiKey } from '../../tables/api-key.js';
import type { Config } from '../../settings/config.js';
import type { Database, Transaction } from '../../db/database.js';
import type { Origin } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { enqueueNotice } from '../mails/mail-queue.js';
import { withinQuota } from '../workspaces/within-quota.js';

/** A new key, which is shown once, and the id of the mail about it; null if the owner has reached the limit of mails. */
export interface IssuedKey {
  row: ApiKey;
  key: string;
  mailId: string | null;
}

/**
 * Creates a key at its owner's request, and notifies the owner by mail.
 * @throws AppError limit_reached if the workspace has the maximum number of keys, unauthorized if the owner's credential has ended
 */
export function issueApiKey(
  db: Database,
  { secretKey, quotas }: Pick<Config, 'secretKey' | 'quotas'>,
  wanted: NewApiKey,
  origin: Origin,
): Promise<IssuedKey> {
  const quota = { workspaceId: wanted.workspace_id, of: 'apiKeys', max: quotas.apiKeys } as const;
  const issue = async (transaction: Transaction) => {
    const issued = await ApiKey.issue(secretKey, wanted, transaction);
    const { id, workspace_id: workspaceId, name, scopes, expires_at, allowed_addresses, channels } = issued.row;
    const target = { type: 'api_key', id, name } as const;
    const limits = Object.entries({ expires_at, allowed_addresses, channels }).filter(([, value]) => value !== null);
    const changes = { scopes, ...Object.fromEntries(limits) };
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'api_key.created', target, changes });
    return { ...issued, mailId: await mailAboutKey(db, transaction, issued.row, origin) };
  };
  return withinQuota(db, quota, issue, origin);
}

/** @returns the id of the mail to the owner; null if there is none */
export function mailAboutKey(
  db: Database,
  transaction: Transaction,
  { workspace_id: workspaceId, name }: ApiKey,
  { address }: Origin,
): Promise<string | null> {
  return enqueueNotice(db, transaction, workspaceId, { kind: 'new_api_key', detail: { key: name, address } });
}
