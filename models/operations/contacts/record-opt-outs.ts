/** What recipients say of being written to: STOP, START, a complaint, the link in a mail. */
import type { Channel } from '../../channels.js';
import { type Database, select } from '../../db/database.js';
import { isUuid } from '../../rules/values/text.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import type { SuppressionReason, SuppressionSource } from '../../rules/contacts/suppression.js';
import { insertEvents, originAsJson } from '../audit/record-audit-event.js';
import { suppress } from './suppress.js';

/** Somebody who wrote to one of our senders. */
export interface Sender {
  /** The account that the message came by. */
  provider: string;
  channel: Channel;
  recipient: string;
  /** What stands in his place where he was erased, see `digestOf`. */
  digest?: string;
}

/** A wish not to be written to. */
export interface OptOutWish extends Sender {
  reason: Extract<SuppressionReason, 'opt_out' | 'complaint'>;
  source: SuppressionSource;
  /** The message that it answers, by our id or by the provider's; null where nobody says. */
  message_id: string | null;
  provider_message_id: string | null;
}

/**
 * Suppresses the recipient: in the workspace whose message it is about; where no message is named, in every workspace that
 * this account has written to him for. The sender is theirs together: neither he nor his carrier can tell them apart.
 */
export async function recordOptOut(db: Database, wish: OptOutWish): Promise<void> {
  const { reason, source, channel } = wish;
  // What is no id of ours finds nothing: the echo of a provider may be anything.
  const messageId = wish.message_id !== null && isUuid(wish.message_id) ? wish.message_id : null;
  const named = await select<Written>(db, byMessage, [messageId, wish.provider, wish.provider_message_id]);
  const written = named.length > 0 ? named : await writtenTo(db, wish);
  await suppress(
    db,
    written.map(({ id, to, workspace_id }) => ({ workspace_id, channel, recipient: to, reason, source, message_id: id })),
  );
}

/** Takes back what the recipient said himself; a bounce or a workspace's own entry stays. */
export async function recordOptIn(db: Database, sender: Sender): Promise<void> {
  const workspaceIds = (await writtenTo(db, sender)).map(({ workspace_id }) => workspace_id);
  await select(db, remove, [sender.channel, namesOf(sender), workspaceIds, originAsJson(systemOrigin('inbound'))]);
}

interface Written {
  id: string | null;
  to: string;
  workspace_id: string;
}

const byMessage = `
  SELECT id, "to", workspace_id FROM messages WHERE id = $1
  UNION SELECT id, "to", workspace_id FROM messages WHERE provider = $2 AND provider_message_id = $3`;

const writtenTo = (db: Database, sender: Sender) => select<Written>(db, byRecipient, [namesOf(sender), sender.channel, sender.provider]);

const namesOf = ({ recipient, digest }: Sender): string[] => (digest === undefined ? [recipient] : [recipient, digest]);

const byRecipient = `
  SELECT NULL AS id, "to", workspace_id FROM messages WHERE "to" = ANY($1::text[]) AND channel = $2 AND provider = $3 GROUP BY "to", workspace_id`;

const remove = `
  WITH removed AS (
    DELETE FROM suppressions
    WHERE channel = $1 AND recipient = ANY($2::text[]) AND workspace_id = ANY($3::uuid[]) AND reason = 'opt_out' AND source <> 'api'
    RETURNING id, workspace_id, channel, reason, source
  ), told AS (
    SELECT workspace_id, NULL AS actor_name, id AS target_id, NULL AS target_name,
      jsonb_build_object('channel', channel, 'reason', reason, 'source', source) AS changes
    FROM removed
  )
  ${insertEvents('told', { type: 'suppression.deleted', target: 'suppression', origin: 4 })}`;
