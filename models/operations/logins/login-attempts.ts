/**
 * Counts login attempts by e-mail address, from all clients. An attempt is counted under the digests of the address with all secret keys: while
 * the key is changed, processes have different present keys, and all of them must see it. Each attempt is counted before its password is verified,
 * so that hundreds of concurrent attempts get no further than hundreds of sequential ones. The counts are in PostgreSQL because all processes share
 * them. In the table `login_tries`, `tries` counts the attempts, `spared` is the exempt client, and `spared_until` is the end of its exemption.
 */
import { type Database, select, type Transaction } from '../../db/database.js';
import { rateLimited } from '../../errors.js';
import { apiMetrics } from '../../metrics/catalogue.js';
import { type ClientDigests, digestOfEmail } from '../../rules/accounts/login-digest.js';

/** Wrong passwords before the first pause. */
export const freeAttempts = 5;
const firstPauseSeconds = 30;
const longestPauseSeconds = 900;
/** The attempts are forgotten after this number of hours without one. */
export const attemptHours = 24;
/** After a reset of the password, the client that did it is exempt for this number of minutes from the pauses that attempts of others cause. */
const exemptMinutes = 15;

/** A row that counts an attempt. `pause` is in seconds. */
interface CountedRow {
  digest: Buffer;
  tries: number;
  pause: number;
}

export interface LoginAttempt {
  /** One for each secret key. */
  counted: readonly CountedRow[];
  /** How many attempts there were, this one included. */
  number: number;
  /** The pause before the next attempt, if this one is wrong. */
  pauseSeconds: number;
  /** The client has reset the password a short while ago. Attempts of others do not count for it. */
  isExempt: boolean;
}

/**
 * Counts an attempt for this address.
 * @param client hashes of the client's network
 * @throws AppError rate_limited while attempts for this address are blocked
 */
export async function countAttempt(
  db: Database,
  secretKeys: readonly string[],
  email: string,
  client: ClientDigests,
): Promise<LoginAttempt> {
  const [exemption] = await select(db, isExemptNow, [digestsOf(secretKeys, email), client]);
  const isExempt = exemption !== undefined;
  const digests = digestsOf(secretKeys, email, isExempt);
  for (;;) {
    const counted = await select<CountedRow>(db, countInAll, [digests]);
    if (counted.length === digests.length) {
      const pauseSeconds = Math.max(0, ...counted.map(({ pause }) => Math.round(pause)));
      return { counted, number: Math.max(...counted.map(({ tries }) => tries)), pauseSeconds, isExempt };
    }
    await uncount(db, counted); // attempts are blocked by what was counted with another key
    const [blocked] = await select<{ seconds: number | null }>(db, wait, [digests]);
    if (typeof blocked?.seconds !== 'number') continue;
    apiMetrics.rateLimited.inc({ limit: 'login' });
    throw rateLimited(Math.max(1, blocked.seconds));
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
export const uncountAttempt = (db: Database, { counted }: LoginAttempt): Promise<void> => uncount(db, counted);

async function uncount(db: Database, counted: readonly CountedRow[]): Promise<void> {
  for (const { digest, tries: number } of counted) await select(db, uncountOne, [digest, number]);
}

/** Deletes the attempts of an address, with those of the exempt client. */
export async function deleteAttempts(db: Database, secretKeys: readonly string[], email: string, transaction: Transaction): Promise<void> {
  const digests = [...digestsOf(secretKeys, email), ...digestsOf(secretKeys, email, true)];
  await select(db, deleteRows, [digests], transaction);
}

/** Deletes what this attempt was counted with. */
export async function clearAttempt(db: Database, { counted }: LoginAttempt): Promise<void> {
  await select(db, deleteRows, [counted.map(({ digest }) => digest)]);
}

/**
 * Exempts the client that has reset the password from the pauses that attempts of others cause. Deletes the attempts, unless a second factor
 * is enabled: they also count wrong codes, and somebody who reads the owner's mails could try more codes after each reset.
 */
export async function exemptClient(
  db: Database,
  transaction: Transaction,
  secretKeys: readonly [string, ...string[]],
  { email, client, hasTotp }: { email: string; client: ClientDigests; hasTotp: boolean },
): Promise<void> {
  if (!hasTotp) await deleteAttempts(db, secretKeys, email, transaction);
  await select(db, exempt, [digestOfEmail(secretKeys[0], email), client[0]], transaction);
}

/** Without duplicates: a key may be in the settings twice. */
const digestsOf = (secretKeys: readonly string[], email: string, isAfterReset = false): Buffer[] =>
  [...new Set(secretKeys)].map((secretKey) => digestOfEmail(secretKey, email, isAfterReset));

const isExemptNow = `
  SELECT 1 AS one FROM login_tries WHERE digest = ANY($1::bytea[]) AND spared = ANY($2::bytea[]) AND spared_until > now()`;

const tries = `CASE WHEN t.last_at < clock_timestamp() - interval '${attemptHours} hours' THEN 1 ELSE t.tries + 1 END`;
// A statement that waited for the row sees the other one's pause: the condition is evaluated again then, with the clock and not with the
// start time of the statement. All statements lock rows in the order of their digests.
const countInAll = `
  INSERT INTO login_tries AS t (digest, tries, last_at)
  SELECT given.digest, 1, clock_timestamp() FROM unnest($1::bytea[]) AS given (digest) ORDER BY given.digest
  ON CONFLICT (digest) DO UPDATE SET
    tries = ${tries}, last_at = clock_timestamp(),
    blocked_until = CASE WHEN ${tries} < ${freeAttempts} THEN '-infinity'
      ELSE clock_timestamp() + LEAST(${longestPauseSeconds}, ${firstPauseSeconds} * 2 ^ LEAST(${tries} - ${freeAttempts}, 10)) * interval '1 second' END
  WHERE t.blocked_until <= clock_timestamp()
  RETURNING digest, tries, CASE WHEN isfinite(blocked_until) THEN extract(epoch FROM blocked_until - clock_timestamp())::float ELSE 0 END AS pause`;
// The pause belongs to this attempt if it is the newest one. With fewer attempts than are free there is none.
const uncountOne = `
  UPDATE login_tries SET tries = tries - 1,
    blocked_until = CASE WHEN tries = $2 OR tries <= ${freeAttempts} THEN '-infinity' ELSE blocked_until END
  WHERE digest = $1 AND tries > 0`;
const wait = `
  SELECT max(ceil(extract(epoch FROM blocked_until - clock_timestamp())))::int AS seconds FROM login_tries
  WHERE digest = ANY($1::bytea[]) AND blocked_until > clock_timestamp()`;
const deleteRows = `
  DELETE FROM login_tries
  WHERE digest IN (SELECT digest FROM login_tries WHERE digest = ANY($1::bytea[]) ORDER BY digest FOR UPDATE)`;
const exempt = `
  INSERT INTO login_tries AS t (digest, tries, last_at, spared, spared_until)
  VALUES ($1, 0, clock_timestamp(), $2, now() + interval '${exemptMinutes} minutes')
  ON CONFLICT (digest) DO UPDATE SET spared = excluded.spared, spared_until = excluded.spared_until`;
