import { invalidToken, wrongPassword } from '../../refused-credentials.js';
import { accountWithPassword } from '../../passwords.js';
import type { ClientDigests } from '../../rules/accounts/login-digest.js';
import type { Origin } from '../../rules/audit/origin.js';
import { Workspace } from '../../tables/workspace.js';
import { assertLive } from '../accounts/as-caller.js';
import { clearAttempt, countAttempt, uncountAttempt, uncountIfItFails } from './login-attempts.js';
import { type LoginAttemptDeps, noteFailedAttempt } from './note-failed-attempt.js';

/**
 * Verifies the password of a caller who has a JWT, and returns the workspace. A JWT alone may be stolen. Wrong passwords count as failed
 * logins, and are recorded like them. A right one ends the count, unless a second factor is enabled.
 * @param client hashes of the client's network
 * @throws AppError unauthorized if the password is wrong or the session has ended, rate_limited while attempts for this workspace are blocked,
 *   unavailable if too many passwords wait
 */
export async function confirmPassword(
  deps: LoginAttemptDeps,
  { workspaceId, password, client }: { workspaceId: string; password: string; client: ClientDigests },
  origin: Origin,
): Promise<Workspace> {
  const { db, config } = deps;
  const owner = await Workspace.findByPk(workspaceId, { attributes: ['id', 'email', 'name'] });
  if (owner === null) throw invalidToken();
  const attempt = await countAttempt(db, config.secretKeys, owner.email, client);
  const workspace = await uncountIfItFails(db, attempt, () =>
    accountWithPassword(() => Workspace.findByPk(workspaceId), password, workspaceId),
  );
  if (workspace === null) {
    // Not for a session that has ended meanwhile: the password that it was asked for may be gone, for example with the account.
    await uncountIfItFails(db, attempt, () => assertLive(db, workspaceId, origin));
    await noteFailedAttempt(deps, { workspace: owner, attempt, reason: 'wrong_current_password' }, origin);
    throw wrongPassword();
  }
  // With a second factor, the attempts also count wrong codes: a thief of the password must not get more of those.
  if (workspace.totp_confirmed_at === null) await clearAttempt(db, attempt);
  else await uncountAttempt(db, attempt);
  return workspace;
}
