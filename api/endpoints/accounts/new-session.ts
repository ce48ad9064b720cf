import { OpenSession, type SessionKind } from '../../../models/tables/open-session.js';
import type { Workspace } from '../../../models/tables/workspace.js';
import type { Origin } from '../../../models/rules/audit/origin.js';
import { issueToken } from '../../auth/tokens.js';
import type { Deps } from '../../deps.js';

/** Begins a session of a workspace that has logged in. @returns its token */
export async function newSession(
  { config }: Pick<Deps, 'config'>,
  workspace: Pick<Workspace, 'id' | 'token_version'>,
  kind: SessionKind,
  { address, userAgent }: Origin,
): Promise<string> {
  const { token, id, expiresAt } = issueToken(config.jwtSecret, workspace, kind === 'jwt' ? 'access' : 'console');
  const { id: workspace_id, token_version } = workspace;
  await OpenSession.create({ id, workspace_id, kind, token_version, expires_at: expiresAt, address, user_agent: userAgent });
  return token;
}
