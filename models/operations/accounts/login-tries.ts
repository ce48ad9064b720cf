/**
 * Tries of a password by e-mail address, whoever makes them and from wherever: each is counted before the password is looked at, so that
 * hundreds at once are no more than hundreds one after the other. Kept in PostgreSQL, where all processes count together.
 */
import { type Database, select, type Transaction } from '../../db/database.js';
import { rateLimited } from '../../errors.js';
import { digestOfEmail } from '../../rules/accounts/login-digest.js';

/** Wrong passwords before anybody has to wait. */
export const freeTries = 5;
const firstPauseSeconds = 30;
const longestPauseSeconds = 900;
/** After so long without a try all are forgotten. */
export const tryHours = 24;
/** How long whoever has reset the password is spared what others try meanwhile. */
const sparedMinutes = 15;

export interface Try {
  digest: Buffer;
  /** How many there were, with this one. */
  number: number;
  /** How long the next one has to wait, should this one be wrong. */
  pauseSeconds: number;
}

/**
 * Counts a try for this address.
 * @param client hash of the network that it comes from
 * @throws AppError 429 while tries for this address have to wait
 */
export async function takeTry(db: Database, secretKey: string, email: string, client: Buffer): Promise<Try> {
  const ofAll = digestOfEmail(secretKey, email);
  const [spared] = await select(db, isSpared, [ofAll, client]);
  const digest = spared === undefined ? ofAll : digestOfEmail(secretKey, email, client);
  for (;;) {
    const [taken] = await select<{ tries: number; pause: number }>(db, take, [digest]);
    if (taken !== undefined) return { digest, number: taken.tries, pauseSeconds: Math.max(0, Math.round(taken.pause)) };
    const [blocked] = await select<{ seconds: number }>(db, wait, [digest]);
    if (blocked !== undefined) throw rateLimited(Math.max(1, blocked.seconds));
  }
}

/** Forgets tries: who made them has proved to be the owner. */
export async function forgetTries(db: Database, digests: readonly Buffer[], transaction?: Transaction): Promise<void> {
  await select(db, 'DELETE FROM login_tries WHERE digest = ANY($1::bytea[])', [digests], transaction);
}

/** Forgets the tries for an address whose password was reset, and spares the client that did it what others go on trying. */
export async function spareClient(
  db: Database,
  transaction: Transaction,
  secretKey: string,
  { email, client }: { email: string; client: Buffer },
): Promise<void> {
  const digests = [digestOfEmail(secretKey, email), digestOfEmail(secretKey, email, client)];
  await forgetTries(db, digests, transaction);
  await select(db, spare, [digests[0], client], transaction);
}

const isSpared = 'SELECT 1 AS one FROM login_tries WHERE digest = $1 AND spared = $2 AND spared_until > now()';

const tries = `CASE WHEN t.last_at < clock_timestamp() - interval '${tryHours} hours' THEN 1 ELSE t.tries + 1 END`;
// Whoever waits for the row sees the other's pause: the condition is evaluated again then, by the clock and not by the statement's time.
const take = `
  INSERT INTO login_tries AS t (digest, tries, last_at) VALUES ($1, 1, clock_timestamp())
  ON CONFLICT (digest) DO UPDATE SET
    tries = ${tries}, last_at = clock_timestamp(),
    blocked_until = CASE WHEN ${tries} < ${freeTries} THEN '-infinity'
      ELSE clock_timestamp() + LEAST(${longestPauseSeconds}, ${firstPauseSeconds} * 2 ^ LEAST(${tries} - ${freeTries}, 10)) * interval '1 second' END
  WHERE t.blocked_until <= clock_timestamp()
  RETURNING tries, CASE WHEN isfinite(blocked_until) THEN extract(epoch FROM blocked_until - clock_timestamp())::float ELSE 0 END AS pause`;
const wait = `
  SELECT ceil(extract(epoch FROM blocked_until - clock_timestamp()))::int AS seconds FROM login_tries
  WHERE digest = $1 AND blocked_until > clock_timestamp()`;
const spare = `
  INSERT INTO login_tries AS t (digest, tries, last_at, spared, spared_until)
  VALUES ($1, 0, clock_timestamp(), $2, now() + interval '${sparedMinutes} minutes')
  ON CONFLICT (digest) DO UPDATE SET spared = excluded.spared, spared_until = excluded.spared_until`;
