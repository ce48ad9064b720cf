import { wrongPassword } from '../errors.js';
import { ifPasswordFits } from '../passwords.js';
import { Workspace } from '../workspace.js';

/**
 * The workspace with this address and password.
 * @throws AppError 401, after the same time whether the address is unknown or the password wrong; 503 when too many log in at once
 */
export async function logIn({ email, password }: { email: string; password: string }): Promise<Workspace> {
  const workspace = await ifPasswordFits(() => Workspace.byEmail(email), password, email.toLowerCase());
  if (workspace === null) throw wrongPassword();
  return workspace;
}
