/** Erases what a workspace stores about a recipient outside its messages. */
import { type Database, inTransaction, select, selectIds } from '../../db/database.js';
import { digestOf, isPlainDigest, keyedDigestInSql } from '../../rules/contacts/erasure.js';
import { mentionOf, roughMentionOf } from '../../rules/contacts/mention.js';
import { isByRecipientInSql } from '../../rules/contacts/suppression.js';
import { lowestId } from '../../rules/values/id-time.js';
import { phoneSpellings } from '../../rules/values/phone.js';
import { emptying } from './empty-reports.js';
import { eraseInBatches } from './erase-batches.js';
import { stepsWithoutRecipients } from './erase-messages.js';
import { isRequestedBy } from './requested-by.js';

interface ErasedRecipient {
  workspaceId: string;
  /** As `recipientKey` returns it. */
  recipient: string;
  /** When the erasure was requested. Contacts that were created later stay. */
  at: Date;
  /** A call for this request has ended before. Contacts that got the address since the request stay: it may belong to somebody else by now. */
  isAgain?: boolean;
}

/**
 * Deletes the contacts of a recipient, ends undecided chains before their first step to it, removes it from the steps of ended chains, from
 * batches and from reports that found no message, and replaces it on the suppression list by a digest, so that sends are still refused. Some
 * numbers are written in two ways; both are erased. Safe to repeat.
 */
export async function eraseRecipient(db: Database, key: Buffer, erased: ErasedRecipient): Promise<void> {
  for (const spelling of phoneSpellings(erased.recipient)) await eraseSpelling(db, key, { ...erased, recipient: spelling });
  await eraseInUnmatched(db, key, erased.recipient);
}

async function eraseSpelling(db: Database, key: Buffer, erased: ErasedRecipient): Promise<void> {
  const { workspaceId, recipient, at, isAgain = false } = erased;
  const digest = digestOf(key, recipient);
  await inTransaction(db, async (transaction) => {
    await select(db, lockList, [workspaceId, recipient, digest], transaction);
    await select(db, dropDouble, [workspaceId, recipient, digest], transaction);
    await select(db, digestList, [workspaceId, recipient, digest], transaction);
  });
  await select(db, deleteContacts, [workspaceId, recipient, at, isAgain]);
  // Of a page, another transaction may have changed all chains meanwhile. So the work ends only when no chain is found.
  for (;;) if ((await select(db, cutChains, [workspaceId, recipient, key, at])).length === 0) break;
  for (;;) if ((await select(db, clearSteps, [workspaceId, recipient, key])).length === 0) break;
  await eraseInBatches(db, key, erased);
}

/** Carriers may write a number in another way. A text with digits only is the same in lower case. */
async function eraseInUnmatched(db: Database, key: Buffer, recipient: string): Promise<void> {
  const spellings = phoneSpellings(recipient);
  const bind = [spellings.map(mentionOf).join('|'), key, spellings.map(roughMentionOf)];
  const clear = clearUnmatched(recipient.includes('@') ? 'lower(d.raw)' : 'd.raw');
  let after: string | undefined = lowestId;
  while (after !== undefined) {
    const ids = await selectIds(db, unmatched, [after]);
    for (let at = 0; at < ids.length; at += searchedAtOnce) await select(db, clear, [...bind, ids.slice(at, at + searchedAtOnce)]);
    after = ids[unmatchedPage - 1];
  }
}

// In the order of `suppress`: the entries of the workspace, then those of the recipient.
const lockList = `
  SELECT id FROM suppressions s WHERE workspace_id = $1 AND recipient IN ($2, $3)
  ORDER BY ${isByRecipientInSql('s')}, workspace_id, channel, recipient FOR UPDATE`;

/** If there are two entries of one kind on a channel, the one that lasts longer stays. */
const dropDouble = `
  DELETE FROM suppressions s USING suppressions other
  WHERE s.workspace_id = $1 AND other.workspace_id = $1 AND s.channel = other.channel
    AND (s.recipient, other.recipient) IN (($2, $3), ($3, $2)) AND ${isByRecipientInSql('s')} = ${isByRecipientInSql('other')}
    AND (${end('s')}, s.id) < (${end('other')}, other.id)`;

function end(row: string): string {
  return `COALESCE(${row}.expires_at, 'infinity')`;
}

const digestList = 'UPDATE suppressions SET recipient = $3 WHERE workspace_id = $1 AND recipient = $2';

const deleteContacts = `
  DELETE FROM contacts WHERE workspace_id = $1 AND (phone = $2 OR lower(email) = $2) AND created_at <= $3 AND NOT ($4 AND updated_at > $3)`;

const stepsPage = 200;

/** SQL: the steps of the chain `f` before its first one to the recipient; null if there are none. */
const stepsBefore = `(
  SELECT json_agg(s.step ORDER BY s.place) FROM json_array_elements(f.steps) WITH ORDINALITY AS s (step, place)
  WHERE s.place < (
    SELECT min(t.place) FROM json_array_elements(f.steps) WITH ORDINALITY AS t (step, place) WHERE lower(t.step ->> 'to') = $2))`;

/** SQL: the chain `f` has a step to the recipient. The migration 0031 has an index of this expression. */
const hasStepTo = `jsonb_path_query_array(lower(f.steps::text)::jsonb, '$[*].to') ? $2`;

/**
 * SQL: parts of a `WITH`: a page of `chains` with a step to the recipient, which are locked after their messages. The digest of the request of the
 * first message is of all steps, so it becomes keyed; see key-digests.ts. A chain that another erasure has changed while this one waited for its
 * message is not in `chains`.
 * @param ofChain the chains `f`
 * @param ofMessage their messages `m`
 */
const chainsWith = (ofChain: string, ofMessage = 'true') => `
  WITH lasting AS MATERIALIZED (
    SELECT m.id FROM fallbacks f JOIN messages m ON m.id = f.message_id
    WHERE ${hasStepTo} AND ${ofChain} AND m.workspace_id = $1 AND ${ofMessage}
    ORDER BY m.id LIMIT ${stepsPage} FOR NO KEY UPDATE OF m
  ), chains AS MATERIALIZED (
    SELECT f.message_id AS id FROM fallbacks f
    WHERE f.message_id IN (SELECT id FROM lasting) AND ${ofChain} AND ${hasStepTo} ORDER BY f.message_id FOR UPDATE
  ), keyed AS (
    UPDATE messages m SET request_digest = ${keyedDigestInSql('$3', 'm.request_digest')}
    WHERE m.id IN (SELECT id FROM chains) AND ${isPlainDigest('m.request_digest')}
  )`;

// A step that is being sent now is a message of its own. It has the rest of the chain, which the second call of this operation finds.
const cutChains = `
  ${chainsWith('f.outcome IS NULL', isRequestedBy('$4'))}, cut AS (
    UPDATE fallbacks f SET steps = COALESCE(${stepsBefore}, ${stepsWithoutRecipients}),
      outcome = CASE WHEN ${stepsBefore} IS NULL THEN 'not_needed' END, decided_at = CASE WHEN ${stepsBefore} IS NULL THEN now() END
    WHERE f.outcome IS NULL AND f.message_id IN (SELECT id FROM chains)
  )
  SELECT id FROM lasting`;

const clearSteps = `
  ${chainsWith('f.outcome IS NOT NULL')}, cleared AS (
    UPDATE fallbacks f SET steps = ${stepsWithoutRecipients} WHERE f.message_id IN (SELECT id FROM chains)
  )
  SELECT id FROM lasting`;

/** Ids per read: each one reads and sorts all reports without a message, because no index has them in this order. */
const unmatchedPage = 100_000;
/** Reports per statement that searches them and locks what it finds. */
const searchedAtOnce = 10_000;

const unmatched = `
  SELECT id FROM delivery_reports WHERE group_id IS NULL AND applied_at IS NULL AND id > $1 ORDER BY id LIMIT ${unmatchedPage}`;

/**
 * Empties reports that name the recipient and matched no message, so that their workspace is unknown. This includes reports that came after the
 * request. The message of such a report may still be in its hand-off, and belong to another workspace: it finds the report by the digest, see
 * record-handoffs.ts.
 */
const clearUnmatched = (text: string) => `
  WITH given AS MATERIALIZED (
    SELECT d.id FROM delivery_reports d
    WHERE d.id = ANY ($4::uuid[]) AND d.group_id IS NULL AND d.applied_at IS NULL
      AND CASE WHEN ${text} LIKE ANY ($3::text[]) THEN lower(d.raw) ~ $1 ELSE false END
    ORDER BY d.id FOR UPDATE
  ), ${emptying('given', '$2')}
  SELECT 1`;
