/**
 * Counts login attempts by e-mail address, from all clients. Each attempt is counted before its password is verified, so that hundreds of
 * concurrent attempts get no further than hundreds of sequential ones. The counts are in PostgreSQL because all processes share them. In the
 * table `login_tries`, `tries` counts the attempts, `spared` is the exempt client, and `spared_until` is the end of its exemption.
 */
import { type Database, select, type Transaction } from '../../db/database.js';
import { rateLimited } from '../../errors.js';
import { digestOfEmail } from '../../rules/accounts/login-digest.js';

/** Wrong passwords before the first pause. */
export const freeAttempts = 5;
const firstPauseSeconds = 30;
const longestPauseSeconds = 900;
/** The attempts are forgotten after this number of hours without one. */
export const attemptHours = 24;
/** After a reset of the password, the client that did it is exempt for this number of minutes from the pauses that attempts of others cause. */
const exemptMinutes = 15;

export interface LoginAttempt {
  digest: Buffer;
  /** How many attempts there were, this one included. */
  number: number;
  /** The pause before the next attempt, if this one is wrong. */
  pauseSeconds: number;
  /** The client has reset the password a short while ago. Attempts of others do not count for it. */
  isExempt: boolean;
}

/**
 * Counts an attempt for this address.
 * @param client hash of the client's network
 * @throws AppError rate_limited while attempts for this address are blocked
 */
export async function countAttempt(db: Database, secretKey: string, email: string, client: Buffer): Promise<LoginAttempt> {
  const ofAll = digestOfEmail(secretKey, email);
  const [exemption] = await select(db, isExemptNow, [ofAll, client]);
  const isExempt = exemption !== undefined;
  const digest = isExempt ? digestOfEmail(secretKey, email, true) : ofAll;
  for (;;) {
    const [counted] = await select<{ tries: number; pause: number }>(db, countOne, [digest]);
    if (counted !== undefined) return { digest, number: counted.tries, pauseSeconds: Math.max(0, Math.round(counted.pause)), isExempt };
    const [blocked] = await select<{ seconds: number }>(db, wait, [digest]);
    if (blocked !== undefined) throw rateLimited(Math.max(1, blocked.seconds));
  }
}

/** Does a step of an attempt. Uncounts the attempt if the step fails, because nothing was verified then: nobody must wait for it. */
export async function uncountIfItFails<Result>(db: Database, attempt: LoginAttempt, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    await uncountAttempt(db, attempt);
    throw error;
  }
}

/** Uncounts an attempt that was right, or whose password was not verified, so that nobody waits for it. */
export async function uncountAttempt(db: Database, { digest, number }: LoginAttempt): Promise<void> {
  await select(db, uncountOne, [digest, number]);
}

/** Forgets the attempts after a successful login. */
export async function forgetAttempts(db: Database, digests: readonly Buffer[], transaction?: Transaction): Promise<void> {
  await select(db, 'DELETE FROM login_tries WHERE digest = ANY($1::bytea[])', [digests], transaction);
}

/**
 * Exempts the client that has reset the password from the pauses that attempts of others cause. Forgets the attempts, unless a second factor
 * is enabled: they also count wrong codes, and somebody who reads the owner's mails could try more codes after each reset.
 */
export async function exemptClient(
  db: Database,
  transaction: Transaction,
  secretKey: string,
  { email, client, hasTotp }: { email: string; client: Buffer; hasTotp: boolean },
): Promise<void> {
  const ofAll = digestOfEmail(secretKey, email);
  if (!hasTotp) await forgetAttempts(db, [ofAll, digestOfEmail(secretKey, email, true)], transaction);
  await select(db, exempt, [ofAll, client], transaction);
}

const isExemptNow = 'SELECT 1 AS one FROM login_tries WHERE digest = $1 AND spared = $2 AND spared_until > now()';

const tries = `CASE WHEN t.last_at < clock_timestamp() - interval '${attemptHours} hours' THEN 1 ELSE t.tries + 1 END`;
// A statement that waited for the row sees the other one's pause: the condition is evaluated again then, with the clock and not with the
// start time of the statement.
const countOne = `
  INSERT INTO login_tries AS t (digest, tries, last_at) VALUES ($1, 1, clock_timestamp())
  ON CONFLICT (digest) DO UPDATE SET
    tries = ${tries}, last_at = clock_timestamp(),
    blocked_until = CASE WHEN ${tries} < ${freeAttempts} THEN '-infinity'
      ELSE clock_timestamp() + LEAST(${longestPauseSeconds}, ${firstPauseSeconds} * 2 ^ LEAST(${tries} - ${freeAttempts}, 10)) * interval '1 second' END
  WHERE t.blocked_until <= clock_timestamp()
  RETURNING tries, CASE WHEN isfinite(blocked_until) THEN extract(epoch FROM blocked_until - clock_timestamp())::float ELSE 0 END AS pause`;
// The pause belongs to this attempt if it is the newest one. With fewer attempts than are free there is none.
const uncountOne = `
  UPDATE login_tries SET tries = tries - 1,
    blocked_until = CASE WHEN tries = $2 OR tries <= ${freeAttempts} THEN '-infinity' ELSE blocked_until END
  WHERE digest = $1 AND tries > 0`;
const wait = `
  SELECT ceil(extract(epoch FROM blocked_until - clock_timestamp()))::int AS seconds FROM login_tries
  WHERE digest = $1 AND blocked_until > clock_timestamp()`;
const exempt = `
  INSERT INTO login_tries AS t (digest, tries, last_at, spared, spared_until)
  VALUES ($1, 0, clock_timestamp(), $2, now() + interval '${exemptMinutes} minutes')
  ON CONFLICT (digest) DO UPDATE SET spared = excluded.spared, spared_until = excluded.spared_until`;
