/** Passwords: argon2id, two at a time, so that logins cannot take the whole machine. */
import { hash, verify } from '@node-rs/argon2';
import { createTurnstile } from './turnstile.js';

// OWASP's second choice, of the default variant argon2id: 19 MiB, two passes, one lane; about 15 ms here.
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const inTurn = createTurnstile(2, 50);

/** The string to store: algorithm, parameters, salt and hash. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, options));

/**
 * Whether the password fits. Without a stored hash (an unknown account) it takes as long and says no.
 * @param stored what `hashPassword` returned, or null
 */
export async function passwordFits(stored: string | null, password: string): Promise<boolean> {
  const fits = await inTurn(async () => verify(stored ?? (await decoy()), password));
  return fits && stored !== null;
}

let decoyHash: Promise<string> | undefined;
function decoy(): Promise<string> {
  decoyHash ??= hash('nobody has this password', options);
  return decoyHash;
}

/** Makes the first unknown account take no longer than the next. */
export const warmUpPasswords = async (): Promise<void> => void (await decoy());
