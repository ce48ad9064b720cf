import { endAllSessions } from '../../../../models/operations/accounts/end-sessions.js';
import { systemOrigin } from '../../../../models/rules/audit/origin.js';
import type { Command } from '../../command.js';
import { requireWorkspace, titleOf } from '../../require-workspace.js';
import { reasonIn, reasonOption } from '../../read-options.js';

export const endSessionsCommand: Command = {
  name: 'workspace end-sessions',
  takes: ['workspace'],
  options: { reason: reasonOption },
  summary: 'End all sessions of a workspace: its JWTs, its console sessions and the links to its portals. API keys still work.',
  async run(given, { db }) {
    const workspace = await requireWorkspace(given.positionals[0] ?? '');
    await endAllSessions(db, workspace.id, systemOrigin('operator'), { reason: reasonIn(given) });
    return {
      ok: true,
      text: `All sessions of ${titleOf(workspace)} have ended.`,
      data: { workspace_id: workspace.id, sessions_ended: true },
    };
  },
};
