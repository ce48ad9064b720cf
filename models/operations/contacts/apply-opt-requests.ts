/**
 * Applies the opt-outs and opt-ins that carriers report: STOP and complaints suppress, START ends what STOP caused. A new subscription at the
 * carrier is a START too. Other texts are not stored.
 *
 * Carriers repeat a callback whose response was lost, and callbacks may overtake each other. So each request is applied once, a START not after
 * a newer STOP of the same recipient, and a STOP not after a newer START. Several STOPs are all applied, because they may be for several
 * workspaces.
 */
import { channelTraits } from '../../channels.js';
import { type Database, inTransaction, lockName, select, type Transaction } from '../../db/database.js';
import { deletePage, forgetPages } from '../../db/delete-page.js';
import type { CallbackEvent, InboundMessage, OptIn, OptOut } from '../../rules/callbacks/callback.js';
import { digestOf, namesOnList } from '../../rules/contacts/erasure.js';
import { keywordOf } from '../../rules/contacts/keywords.js';
import { recipientKey } from '../../rules/messages/recipient.js';
import { erasureKey } from '../erasure/erasure-key.js';
import { type OptRequest, ownerOfNamedMessage, recordOptIn, recordOptOut } from './record-opt-outs.js';

/** Longer than any carrier repeats a callback. */
const keptDays = 30;

interface ReportedRequest extends Omit<OptRequest, 'names'> {
  kind: 'start' | 'stop' | 'complaint';
  recipient: string;
  /** `provider`: the carrier itself has recognized the request. */
  source: 'inbound' | 'provider';
  /** Null: the carrier does not say when. The time of its arrival counts then. */
  occurred_at: Date | null;
  raw: string;
}

/** Applies the opt requests among the events of a callback. @param secretKeys the present key, then the earlier ones */
export async function applyOptRequests(
  db: Database,
  secretKeys: readonly [string, ...string[]],
  events: readonly CallbackEvent[],
): Promise<void> {
  const requests = events.flatMap(optRequestOf);
  if (requests.length === 0) return;
  const key = await erasureKey(db, secretKeys);
  for (const request of requests.map((reported) => named(key, reported))) {
    await inTransaction(db, async (transaction) => {
      if (await isNewest(db, transaction, key, request)) await apply(db, transaction, request);
    });
  }
}

function optRequestOf(event: CallbackEvent): ReportedRequest[] {
  if (event.kind === 'opt_out') return [ofOptOut(event)];
  if (event.kind === 'opt_in') return [ofOptIn(event)];
  return event.kind === 'inbound' ? ofText(event) : [];
}

function ofOptOut({ reason, ...event }: OptOut): ReportedRequest {
  return { ...event, kind: reason === 'complaint' ? 'complaint' : 'stop', source: 'provider' };
}

const ofOptIn = (event: OptIn): ReportedRequest => ({ ...event, kind: 'start', source: 'provider' });

function ofText({ provider, channel, from: recipient, text, occurred_at, raw }: InboundMessage): ReportedRequest[] {
  const kind = keywordOf(text);
  if (kind === null) return [];
  return [{ kind, source: 'inbound', provider, channel, recipient, message_id: null, provider_message_id: null, occurred_at, raw }];
}

type NamedRequest = ReportedRequest & OptRequest;

function named(key: Buffer, request: ReportedRequest): NamedRequest {
  const { channel, recipient, provider_message_id: id } = request;
  return { ...request, names: namesOnList(key, channel, recipient), erased_message_id: id === null ? null : digestOf(key, id) };
}

/** Stores a request. @returns false if it was reported before, or if a newer opposite one of the recipient was reported to the same account */
async function isNewest(db: Database, transaction: Transaction, key: Buffer, request: NamedRequest): Promise<boolean> {
  const { provider, channel, recipient, kind, raw, occurred_at } = request;
  const name = digestOf(key, `${channel} ${recipientKey(channel, recipient)}`);
  // Processes of the previous version use this name of the lock too.
  await lockName(db, transaction, `wish:${provider}:${name}`);
  const owner = await ownerOfNamedMessage(db, transaction, request);
  // A complaint stays, and a START for a message of another system ends nothing. So neither has to do with the order of the others.
  const isAlone = kind === 'complaint' || (kind === 'start' && owner === 'another system');
  const bind = [provider, digestOf(key, raw), isAlone ? null : name, kind === 'start', occurred_at];
  const [stored] = await select<{ is_newest: boolean }>(db, store, bind, transaction);
  // An unsubscription from a mail of ours is for the workspace of that mail, while a newer START may be for another one.
  const isOfOneMail = kind === 'stop' && channelTraits[channel].hasMailFields && owner === 'us';
  return stored !== undefined && (stored.is_newest || isOfOneMail);
}

async function apply(db: Database, transaction: Transaction, { kind, ...request }: NamedRequest): Promise<void> {
  if (kind === 'start') return recordOptIn(db, transaction, request);
  await recordOptOut(db, transaction, { ...request, reason: kind === 'stop' ? 'opt_out' : kind });
}

/** Deletes requests that no carrier repeats any more. @returns how many */
export const forgetOptRequests = (db: Database): Promise<number> => forgetPages(db, [forget]);

// The clock of a carrier may be ahead. Its request must not outlast later ones.
const store = `
  WITH stored AS (
    INSERT INTO heard_wishes (provider, event, person, is_start, wished_at) VALUES ($1, $2, $3, $4, LEAST($5::timestamptz, clock_timestamp()))
    ON CONFLICT DO NOTHING RETURNING provider, person, is_start, wished_at
  )
  SELECT NOT EXISTS (
    SELECT 1 FROM heard_wishes h
    WHERE h.provider = n.provider AND h.person = n.person AND h.is_start <> n.is_start AND h.wished_at > n.wished_at) AS is_newest
  FROM stored n`;

const forget = deletePage('heard_wishes', 'provider, event', `heard_at < now() - interval '${keptDays} days'`);
