import { type Database, select } from '../../db/database.js';
import { notFound } from '../../errors.js';
import { originOfUrl } from '../../rules/audit/changes.js';
import type { Origin } from '../../rules/audit/origin.js';
import { Webhook } from '../../tables/webhook.js';
import { asCaller } from '../accounts/as-caller.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';

/**
 * Records that a link to the portal of a webhook is issued.
 * @returns the token version of the workspace: the link becomes void together with the sessions of this version
 * @throws AppError not_found if the workspace has no such webhook, unauthorized if the credential has ended
 */
export async function openPortal(db: Database, workspaceId: string, id: string, origin: Origin): Promise<number> {
  const { url } = await Webhook.owned(workspaceId, id);
  return asCaller(db, workspaceId, origin, async (transaction) => {
    const [owner] = await select<{ token_version: number }>(db, versionOf, [workspaceId], transaction);
    if (owner === undefined) throw notFound('Webhook');
    const target = { type: 'webhook', id, name: originOfUrl(url) } as const;
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'webhook.portal_opened', target });
    return owner.token_version;
  });
}

const versionOf = `SELECT token_version FROM workspaces WHERE id = $1 AND closed_at IS NULL`;
