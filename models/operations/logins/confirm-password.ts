import { invalidToken, wrongPassword } from '../../errors.js';
import { ifPasswordFits } from '../../passwords.js';
import type { Origin } from '../../rules/audit/origin.js';
import { Workspace } from '../../tables/workspace.js';
import { forgetTries, takeTry } from './login-tries.js';
import { noteFailedTry, type TryDeps } from './note-failed-try.js';

/**
 * Verifies the password of a caller who has a JWT, and returns the workspace. A JWT alone may be stolen. Wrong passwords count as failed
 * logins, and are recorded like them.
 * @param client hash of the client's network
 * @throws AppError unauthorized if the password is wrong, rate_limited while attempts for this workspace are blocked
 */
export async function confirmPassword(
  deps: TryDeps,
  { workspaceId, password, client }: { workspaceId: string; password: string; client: Buffer },
  origin: Origin,
): Promise<Workspace> {
  const { db, config } = deps;
  const owner = await Workspace.findByPk(workspaceId, { attributes: ['id', 'email', 'name'] });
  if (owner === null) throw invalidToken();
  const attempt = await takeTry(db, config.secretKey, owner.email, client);
  const workspace = await ifPasswordFits(() => Workspace.findByPk(workspaceId), password, workspaceId);
  if (workspace === null) {
    await noteFailedTry(deps, { workspace: owner, attempt, reason: 'wrong_current_password' }, origin);
    throw wrongPassword();
  }
  await forgetTries(db, [attempt.digest]);
  return workspace;
}
