import type { Database } from '../../db/database.js';
import { invalidToken, wrongPassword } from '../../errors.js';
import { ifPasswordFits } from '../../passwords.js';
import { Workspace } from '../../tables/workspace.js';
import { forgetTries, takeTry } from './login-tries.js';

/**
 * Verifies the password of a caller who has a JWT, and returns the workspace. A JWT alone may be stolen. Wrong passwords count as failed
 * logins.
 * @param client hash of the client's network
 * @throws AppError unauthorized if the password is wrong, rate_limited while attempts for this workspace are blocked
 */
export async function confirmPassword(
  db: Database,
  secretKey: string,
  { workspaceId, password, client }: { workspaceId: string; password: string; client: Buffer },
): Promise<Workspace> {
  const owner = await Workspace.findByPk(workspaceId, { attributes: ['email'] });
  if (owner === null) throw invalidToken();
  const { digest } = await takeTry(db, secretKey, owner.email, client);
  const workspace = await ifPasswordFits(() => Workspace.findByPk(workspaceId), password, workspaceId);
  if (workspace === null) throw wrongPassword();
  await forgetTries(db, [digest]);
  return workspace;
}
