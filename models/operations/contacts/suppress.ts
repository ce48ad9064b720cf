/** Adds entries to the suppression list, and removes them at the request of owners and operators. */
import { makeId } from '../../rules/values/make-id.js';
import type { Channel } from '../../channels.js';
import { type Database, select, type Transaction } from '../../db/database.js';
import { notFound } from '../../errors.js';
import { recipientsSuppression } from '../../conflicts.js';
import { type Origin, systemOrigin } from '../../rules/audit/origin.js';
import { recipientKey } from '../../rules/messages/recipient.js';
import { expiryOf, isByRecipient, type SuppressionReason, type SuppressionSource } from '../../rules/contacts/suppression.js';
import { namesOf, recordset, without } from '../../tables/columns.js';
import { Suppression, suppressionColumns } from '../../tables/suppression.js';
import { asCaller } from '../accounts/as-caller.js';
import { insertAuditEvents, originAsJson, recordAuditEvent } from '../audit/record-audit-event.js';

/** One recipient of one workspace on one channel. */
export interface NewSuppression {
  workspace_id: string;
  channel: Channel;
  recipient: string;
  reason: SuppressionReason;
  source: SuppressionSource;
  message_id?: string | null;
  /** Default: as the reason determines; null: never. */
  expires_at?: Date | null | undefined;
}

/**
 * Adds recipients to the suppression list. An entry without expiry stays as it is. An entry that expires is replaced, but only the workspace can
 * make it expire earlier. Entries of recipients are separate from those of the workspace or a carrier: neither kind replaces or ends the other.
 *
 * A START ends an opt-out through a carrier, but no complaint and no opt-out by the unsubscribe link. So a complaint of the recipient replaces an
 * opt-out, and an opt-out by the link replaces one through a carrier. A closed workspace gets no entries: it cannot send, and nothing would erase
 * them.
 * @param origin who does it. Default: the source of each entry
 */
export async function suppress(
  db: Database,
  entries: readonly NewSuppression[],
  transaction?: Transaction,
  origin: Origin = bySource,
): Promise<void> {
  const now = new Date();
  for (const [isOfRecipients, insert] of [
    [false, insertInto('suppressions')],
    [true, insertInto('suppressions_by_recipients')],
  ] as const) {
    const rows = new Map<string, object>();
    for (const { recipient, expires_at, ...entry } of entries) {
      if (isByRecipient(entry) !== isOfRecipients) continue;
      const key = recipientKey(entry.channel, recipient);
      const expiry = expires_at === undefined ? expiryOf(entry.reason, now) : expires_at;
      rows.set([entry.workspace_id, entry.channel, key].join(' '), { id: makeId(), ...entry, recipient: key, expires_at: expiry });
    }
    if (rows.size > 0) await select(db, insert, [JSON.stringify([...rows.values()]), originAsJson(origin)], transaction);
  }
}

const bySource: Origin = { ...systemOrigin(''), actor: { type: 'system', id: null, name: null } };

const newColumns = without(suppressionColumns, 'created_at');

// One order, so that transactions that report the same bounces wait for each other without a deadlock.
const insertInto = (table: string) => `
  WITH listed AS (
  INSERT INTO ${table} AS s (${namesOf(newColumns)})
  SELECT ${namesOf(newColumns, 'r')} FROM ${recordset('$1', 'r', newColumns)} JOIN workspaces w ON w.id = r.workspace_id AND w.closed_at IS NULL
  ORDER BY r.workspace_id, r.channel, r.recipient
  ON CONFLICT (workspace_id, channel, recipient) DO UPDATE SET
    id = excluded.id, reason = excluded.reason, source = excluded.source, message_id = excluded.message_id,
    expires_at = excluded.expires_at, created_at = now()
  WHERE (s.expires_at IS NOT NULL AND (excluded.source = 'api' OR (excluded.expires_at < s.expires_at) IS NOT TRUE))
    OR (s.reason = 'opt_out' AND s.source <> 'api'
      AND (excluded.reason = 'complaint' OR (excluded.source = 'unsubscribe' AND s.source <> 'unsubscribe')))
  RETURNING s.id, s.workspace_id, s.channel, s.reason, s.source
  ), audited AS (
    SELECT workspace_id, source AS actor_name, id AS target_id, NULL AS target_name,
      jsonb_build_object('channel', channel, 'reason', reason, 'source', source) AS changes
    FROM listed
  )
  ${insertAuditEvents('audited', { type: 'suppression.created', target: 'suppression', origin: 2 })}`;

/**
 * Adds one recipient at the owner's request.
 * @returns the entry of the workspace, or of a carrier, that is in effect now
 * @throws AppError unauthorized if the credential has ended
 */
export async function addSuppression(db: Database, entry: NewSuppression, origin: Origin): Promise<Suppression> {
  const { workspace_id, channel } = entry;
  for (;;) {
    await asCaller(db, workspace_id, origin, (transaction) => suppress(db, [entry], transaction, origin));
    const all = await Suppression.findAll({ where: { workspace_id, channel, recipient: recipientKey(channel, entry.recipient) } });
    const found = all.find((each) => !isByRecipient(each));
    if (found !== undefined) return found; // otherwise it was removed in between
  }
}

/**
 * Removes an entry at the owner's request.
 * @throws AppError not_found if the workspace has no such entry, also at the second call; conflict if the recipient made the entry; unauthorized
 *   if the credential has ended
 */
export async function removeSuppression(db: Database, workspaceId: string, id: string, origin: Origin): Promise<void> {
  const suppression = await Suppression.owned(workspaceId, id);
  if (isByRecipient(suppression)) throw recipientsSuppression();
  await remove(db, suppression, origin);
}

/**
 * Removes the entries about a recipient at an operator's request, whatever their source.
 * @param names what the recipient may be called on the list
 * @returns false if there are none
 * @throws AppError not_found if one of them is removed at the same time
 */
export async function liftSuppression(
  db: Database,
  { workspace_id, channel, names }: Pick<NewSuppression, 'workspace_id' | 'channel'> & { names: readonly string[] },
  origin: Origin,
): Promise<boolean> {
  const found = await Suppression.findAll({ where: { workspace_id, channel, recipient: [...names] } });
  for (const each of found) await remove(db, each, origin);
  return found.length > 0;
}

async function remove(
  db: Database,
  { id, workspace_id: workspaceId, channel, reason, source }: Suppression,
  origin: Origin,
): Promise<void> {
  await asCaller(db, workspaceId, origin, async (transaction) => {
    if ((await Suppression.destroy({ where: { id }, transaction })) === 0) throw notFound('Suppression');
    const target = { type: 'suppression', id, name: null } as const;
    await recordAuditEvent(db, transaction, origin, {
      workspaceId,
      type: 'suppression.deleted',
      target,
      changes: { channel, reason, source },
    });
  });
}
