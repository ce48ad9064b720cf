import type { Config } from '../../../models/settings/config.js';
import { refusalOfSignup, type SignupPolicy } from '../../../models/rules/accounts/signup-policy.js';

/** @throws AppError 403 when SIGNUP does not admit this address */
export function assertMaySignUp({ signup }: Pick<Config, 'signup'>, email: string): void {
  const refusal = refusalOfSignup(signup, email);
  if (refusal !== null) throw refusal;
}

/** An account may not move to an address that could not sign up. Where sign-up is closed, existing accounts may use any address. */
export const assertMayMoveTo = ({ signup }: { signup: SignupPolicy }, email: string): void => {
  if (!signup.isClosed) assertMaySignUp({ signup }, email);
};
