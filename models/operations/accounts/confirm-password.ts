import type { Database } from '../../db/database.js';
import { invalidToken, wrongPassword } from '../../errors.js';
import { ifPasswordFits } from '../../passwords.js';
import { Workspace } from '../../tables/workspace.js';
import { forgetTries, takeTry } from './login-tries.js';

/**
 * The workspace of a caller who knows its password, too: a JWT alone may be stolen. Wrong tries count as those of a login.
 * @param client hash of the network that the caller comes from
 * @throws AppError 401 for a wrong password, 429 while passwords of this workspace have to wait
 */
export async function confirmPassword(
  db: Database,
  secretKey: string,
  { workspaceId, password, client }: { workspaceId: string; password: string; client: Buffer },
): Promise<Workspace> {
  const owner = await Workspace.findByPk(workspaceId, { attributes: ['email'] });
  if (owner === null) throw invalidToken();
  const { digest } = await takeTry(db, secretKey, owner.email, client);
  const workspace = await ifPasswordFits(() => Workspace.findByPk(workspaceId), password);
  if (workspace === null) throw wrongPassword();
  await forgetTries(db, [digest]);
  return workspace;
}
