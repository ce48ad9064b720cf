/**
 * Handles what recipients told a carrier: STOP and complaints suppress, START ends what STOP caused. A new subscription at the carrier is a
 * START too. Other texts are not stored.
 *
 * Carriers repeat a callback whose response was lost, and callbacks may overtake each other. So each wish is handled once, a START not after a
 * newer STOP of the same person, and a STOP not after a newer START. Several STOPs are all handled, because they may be for several workspaces.
 */
import { channelTraits } from '../../channels.js';
import { type Database, inTransaction, lockName, select, type Transaction } from '../../db/database.js';
import { deletePage } from '../../db/delete-page.js';
import type { CallbackEvent, InboundMessage, OptIn, OptOut } from '../../rules/callbacks/callback.js';
import { digestOf } from '../../rules/contacts/erasure.js';
import { keywordOf } from '../../rules/contacts/suppression.js';
import { recipientKey } from '../../rules/messages/recipient.js';
import { erasureKey } from '../erasure/erasure-key.js';
import { namesMessage, type RecipientWish, recordOptIn, recordOptOut } from './record-opt-outs.js';

/** Longer than any carrier repeats a callback. */
const wishDays = 30;
/** How many wishes one statement deletes. */
const page = 1_000;

interface Wish extends RecipientWish {
  kind: 'start' | 'stop' | 'complaint';
  /** `provider`: the carrier itself has recognized the wish. */
  source: 'inbound' | 'provider';
  /** Null: the carrier does not say when. The time of its arrival counts then. */
  wished_at: Date | null;
  raw: string;
}

/** Handles the wishes among the events of a callback. @param secretKeys the present key, then the earlier ones */
export async function hearRecipients(
  db: Database,
  secretKeys: readonly [string, ...string[]],
  events: readonly CallbackEvent[],
): Promise<void> {
  const wishes = events.flatMap(wishOf);
  if (wishes.length === 0) return;
  const key = await erasureKey(db, secretKeys);
  for (const wish of wishes) {
    await inTransaction(db, async (transaction) => {
      if (await isNews(db, transaction, key, wish)) await carryOut(db, transaction, key, wish);
    });
  }
}

function wishOf(event: CallbackEvent): Wish[] {
  if (event.kind === 'opt_out') return [wishOfOptOut(event)];
  if (event.kind === 'opt_in') return [wishOfOptIn(event)];
  return event.kind === 'inbound' ? wishOfText(event) : [];
}

function wishOfOptOut({ reason, occurred_at: wished_at, ...event }: OptOut): Wish {
  return { ...event, kind: reason === 'complaint' ? 'complaint' : 'stop', source: 'provider', wished_at };
}

const wishOfOptIn = ({ occurred_at: wished_at, ...event }: OptIn): Wish => ({ ...event, kind: 'start', source: 'provider', wished_at });

function wishOfText({ provider, channel, from: recipient, text, occurred_at: wished_at, raw }: InboundMessage): Wish[] {
  const kind = keywordOf(text);
  if (kind === null) return [];
  return [{ kind, source: 'inbound', provider, channel, recipient, message_id: null, provider_message_id: null, wished_at, raw }];
}

/** Notes a wish. @returns false if it was heard before, or if the same account has heard a newer opposite one of this person */
async function isNews(db: Database, transaction: Transaction, key: Buffer, wish: Wish): Promise<boolean> {
  const { provider, channel, recipient, kind, raw, wished_at } = wish;
  const name = digestOf(key, `${channel} ${recipientKey(channel, recipient)}`);
  await lockName(db, transaction, `wish:${provider}:${name}`);
  const bind = [provider, digestOf(key, raw), kind === 'complaint' ? null : name, kind === 'start', wished_at];
  const [noted] = await select<{ is_newest: boolean }>(db, note, bind, transaction);
  // An unsubscription from a mail is for the workspace of that mail, while a newer START may be for another one.
  const isOfOneMail = kind === 'stop' && channelTraits[channel].hasMailFields && namesMessage(wish);
  return noted !== undefined && (noted.is_newest || isOfOneMail);
}

async function carryOut(db: Database, transaction: Transaction, key: Buffer, { kind, ...wish }: Wish): Promise<void> {
  const { channel, provider_message_id: id } = wish;
  const digest = (to: string) => digestOf(key, recipientKey(channel, to));
  const full = { ...wish, digest, erased_message_id: id === null ? null : digestOf(key, id) };
  if (kind === 'start') return recordOptIn(db, transaction, full);
  await recordOptOut(db, transaction, { ...full, reason: kind === 'stop' ? 'opt_out' : kind });
}

/** Deletes wishes that no carrier repeats any more. @returns how many */
export async function forgetWishes(db: Database): Promise<number> {
  return (await select(db, forget, [page])).length;
}

// The clock of a carrier may be ahead. Its wish must not outlast later ones.
const note = `
  WITH noted AS (
    INSERT INTO heard_wishes (provider, event, person, is_start, wished_at) VALUES ($1, $2, $3, $4, LEAST($5::timestamptz, clock_timestamp()))
    ON CONFLICT DO NOTHING RETURNING provider, person, is_start, wished_at
  )
  SELECT NOT EXISTS (
    SELECT 1 FROM heard_wishes h
    WHERE h.provider = n.provider AND h.person = n.person AND h.is_start <> n.is_start AND h.wished_at > n.wished_at) AS is_newest
  FROM noted n`;

const forget = deletePage('heard_wishes', 'provider, event', `heard_at < now() - interval '${wishDays} days'`);
