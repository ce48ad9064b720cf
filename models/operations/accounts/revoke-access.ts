/** Access to a workspace without a password: its API keys, and its webhooks, which receive all events. */
import { type Database, select, type Transaction } from '../../db/database.js';
import { originOfUrl } from '../../rules/audit/changes.js';
import type { Origin } from '../../rules/audit/origin.js';
import type { MailDetail } from '../../rules/accounts/mail-kinds.js';
import { insertAuditEvents, originAsJson } from '../audit/record-audit-event.js';
import { holdsPending } from '../deliveries/settle-deliveries.js';

/** Revokes every key of a workspace. */
export async function revokeApiKeys(db: Database, transaction: Transaction, workspaceId: string, origin: Origin): Promise<void> {
  await select(db, revoke, [workspaceId, originAsJson(origin)], transaction);
}

/** Deactivates every webhook of a workspace. The watcher wakes their retriers. */
export async function deactivateWebhooks(db: Database, transaction: Transaction, workspaceId: string, origin: Origin): Promise<void> {
  await select(db, deactivate, [workspaceId, originAsJson(origin)], transaction);
}

/** Deletes every webhook of a workspace. */
export async function deleteWebhooks(db: Database, transaction: Transaction, workspaceId: string, origin: Origin): Promise<void> {
  await select(db, remove, [workspaceId, originAsJson(origin)], transaction);
}

/** Maximum number of keys, and of webhooks, that a mail lists. */
const namedMax = 25;

/** The keys and webhooks that keep their access, for a mail to the owner. */
export async function remainingAccess(
  db: Database,
  transaction: Transaction,
  workspaceId: string,
): Promise<Pick<MailDetail, 'keys' | 'webhooks'>> {
  const keys = await select<{ name: string; key_prefix: string }>(db, keysOf, [workspaceId, namedMax], transaction);
  const webhooks = await select<{ url: string }>(db, webhooksOf, [workspaceId, namedMax], transaction);
  return { keys: keys.map(({ name, key_prefix }) => `${key_prefix} ${name}`), webhooks: webhooks.map(({ url }) => originOfUrl(url)) };
}

const audited = (rows: string, name: string) =>
  `audited AS (SELECT workspace_id, NULL AS actor_name, id AS target_id, ${name} AS target_name, NULL::jsonb AS changes FROM ${rows})`;
/** SQL: the ids of the webhooks of the workspace, locked in the order of their ids: a transaction that leaves deliveries to retriers locks several, too. */
const lockedWebhooks = (more: string) =>
  `(SELECT id FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL${more} ORDER BY id FOR NO KEY UPDATE)`;
/** SQL: the ids of the active keys of the workspace, locked in the order of their ids: the record of their uses locks several, too. */
const lockedKeys = '(SELECT id FROM api_keys WHERE workspace_id = $1 AND is_active ORDER BY id FOR NO KEY UPDATE)';
const originIn = `substring(url from '^[a-z]+://[^/?#]*')`;

const revoke = `
  WITH revoked AS (UPDATE api_keys SET is_active = false WHERE id IN ${lockedKeys} RETURNING id, workspace_id, name),
    ${audited('revoked', 'name')}
  ${insertAuditEvents('audited', { type: 'api_key.revoked', target: 'api_key', origin: 2 })}`;

const deactivate = `
  WITH stopped AS (
    UPDATE webhooks SET is_active = false, updated_at = now(), ${holdsPending}
    WHERE id IN ${lockedWebhooks(' AND is_active')} RETURNING id, workspace_id, url
  ), ${audited('stopped', originIn)}
  ${insertAuditEvents('audited', { type: 'webhook.disabled', target: 'webhook', origin: 2 })}`;

const remove = `
  WITH removed AS (
    UPDATE webhooks SET is_active = false, deleted_at = now(), updated_at = now(), ${holdsPending}
    WHERE id IN ${lockedWebhooks('')} RETURNING id, workspace_id, url
  ), ${audited('removed', originIn)}
  ${insertAuditEvents('audited', { type: 'webhook.deleted', target: 'webhook', origin: 2 })}`;

const keysOf = 'SELECT name, key_prefix FROM api_keys WHERE workspace_id = $1 AND is_active ORDER BY id DESC LIMIT $2';
const webhooksOf = `
  SELECT url FROM webhooks WHERE workspace_id = $1 AND is_active AND deleted_at IS NULL ORDER BY id DESC LIMIT $2`;
