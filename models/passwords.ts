/** Passwords: argon2id, only a few at the same time, so that logins cannot use all CPU. */
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createConcurrencyLimit } from './flow/concurrency-limit.js';

// OWASP's second option, of the default variant argon2id: 19 MiB, two passes, one lane. About 15 ms here.
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Half of the cores, and never more than half of the four threads that Node.js also uses for files and names. */
export const concurrentHashesMax = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
/** Accounts take turns, so that a flood on one account does not block another. With a full queue, a login takes a few seconds. */
const withLimit = createConcurrencyLimit({ max: concurrentHashesMax, maxWaiting: 300, maxWaitingPerKey: 50 });

/** One password has one form, although keyboards and systems compose accents in different ways (RFC 8265). */
const formOf = (password: string): string => password.normalize('NFC');

/**
 * The string to store: algorithm, parameters, salt and hash. Not for use in a transaction, whose connection and locks would be held while it waits.
 * @param turnKey the account, by which turns are taken: its id, or the address where it has none yet
 * @throws AppError unavailable if too many wait
 */
export const hashPassword = (password: string, turnKey: string): Promise<string> =>
  withLimit(() => hash(formOf(password), options), turnKey);

/**
 * The account that the look-up finds, if the password is right; otherwise null. The time is the same whether the account exists or not. The
 * look-up is part of the turn, so that a flood of logins occupies no database connections.
 * @param turnKey the account, by which turns are taken: its id after a login, else the address, which need not exist
 * @throws AppError unavailable if too many wait
 */
export function accountWithPassword<Account extends { password_hash: string }>(
  lookUp: () => Promise<Account | null>,
  password: string,
  turnKey: string,
): Promise<Account | null> {
  return withLimit(async () => {
    const account = await lookUp();
    // A closed account has no password.
    const stored = account?.password_hash.startsWith('$') === true ? account.password_hash : null;
    const fits = await matches(stored ?? (await decoy()), password);
    return fits && stored !== null ? account : null;
  }, turnKey);
}

/** Passwords that were stored before there was one form were hashed as they came. */
async function matches(stored: string, password: string): Promise<boolean> {
  const form = formOf(password);
  return (await verify(stored, form)) || (form !== password && (await verify(stored, password)));
}

let decoyHash: Promise<string> | undefined;
function decoy(): Promise<string> {
  decoyHash ??= hash('nobody has this password', options);
  return decoyHash;
}

/** Hashes once, so that the first unknown account takes no longer than the next. */
export const warmUpPasswords = async (): Promise<void> => void (await decoy());
