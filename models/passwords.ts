/** Passwords: argon2id, few at a time, so that logins cannot take the whole machine. */
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createConcurrencyLimit } from './flow/concurrency-limit.js';

// OWASP's second choice, of the default variant argon2id: 19 MiB, two passes, one lane; about 15 ms here.
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Half of the cores, and never more than half of the four threads that Node.js has for files and names too. */
export const atOnceMax = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
/** Accounts take turns: a flood on one keeps nobody out of another. With all that can wait before it a login takes a few seconds. */
const inTurn = createConcurrencyLimit({ max: atOnceMax, maxWaiting: 300, maxWaitingPerKey: 50 });

/**
 * The string to store: algorithm, parameters, salt and hash.
 * @param whose takes turns with others
 */
export const hashPassword = (password: string, whose = ''): Promise<string> => inTurn(() => hash(password, options), whose);

/**
 * The account that the look-up finds if the password is its own; null otherwise, after the same time whether there is one or not.
 * The look-up is part of the turn: a flood of logins takes no connections of the database either.
 * @param whose takes turns with others: the address of the account
 * @throws AppError 503 when too many wait
 */
export function ifPasswordFits<Account extends { password_hash: string }>(
  lookUp: () => Promise<Account | null>,
  password: string,
  whose = '',
): Promise<Account | null> {
  return inTurn(async () => {
    const account = await lookUp();
    // An account that was closed has no password any more.
    const stored = account?.password_hash.startsWith('$') === true ? account.password_hash : null;
    const fits = await verify(stored ?? (await decoy()), password);
    return fits && stored !== null ? account : null;
  }, whose);
}

let decoyHash: Promise<string> | undefined;
function decoy(): Promise<string> {
  decoyHash ??= hash('nobody has this password', options);
  return decoyHash;
}

/** Makes the first unknown account take no longer than the next. */
export const warmUpPasswords = async (): Promise<void> => void (await decoy());
