import { wrongPassword } from '../errors.js';
import { passwordFits } from '../passwords.js';
import { Workspace } from '../workspace.js';

/**
 * The workspace with this address and password.
 * @throws AppError 401, after the same time whether the address is unknown or the password wrong
 */
export async function logIn({ email, password }: { email: string; password: string }): Promise<Workspace> {
  const workspace = await Workspace.byEmail(email);
  const fits = await passwordFits(workspace?.password_hash ?? null, password);
  if (workspace === null || !fits) throw wrongPassword();
  return workspace;
}
