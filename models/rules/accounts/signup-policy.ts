/** Who may sign up: the setting SIGNUP (docs/operations.md, The first customers). */
import { type AppError, signupClosed, signupLimited } from '../../errors.js';

/** `domains`: the mail domains whose addresses may sign up, in lower case; null means all. */
export type SignupPolicy = { isClosed: true } | { isClosed: false; domains: readonly string[] | null };

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const domain = `${label}(\\.${label})+`;

/** The form of the setting. */
export const signupPattern = new RegExp(`^(open|closed|verified-domain:\\s*${domain}(\\s*,\\s*${domain})*)$`, 'i');

/** @param setting fits `signupPattern` */
export function readSignupPolicy(setting: string): SignupPolicy {
  const [mode, domains] = setting.toLowerCase().split(':');
  if (mode === 'closed') return { isClosed: true };
  return { isClosed: false, domains: domains?.split(',').map((each) => each.trim()) ?? null };
}

/**
 * The refusal of an address; null if it may be used. A subdomain is another domain.
 * @param email a valid e-mail address
 */
export function refusalOfSignup(policy: SignupPolicy, email: string): AppError | null {
  if (policy.isClosed) return signupClosed();
  const { domains } = policy;
  const own = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domains === null || domains.includes(own) ? null : signupLimited(domains);
}

/**
 * Whether only workspaces with a verified address may send: real carriers cost money, and anybody can enter an address of a domain that SIGNUP
 * names.
 */
export const mustBeVerified = ({ isSandboxOnly, signup }: { isSandboxOnly: boolean; signup: SignupPolicy }): boolean =>
  !isSandboxOnly || (!signup.isClosed && signup.domains !== null);
