import { resume } from '../../../../models/operations/workspaces/suspend.js';
import type { Command } from '../../command.js';
import { requireWorkspace, titleOf } from '../../require-workspace.js';

export const resumeCommand: Command = {
  name: 'resume',
  takes: ['workspace'],
  summary: 'Allow a suspended workspace to send again.',
  async run({ positionals: [named = ''] }, { db }) {
    const workspace = await requireWorkspace(named);
    const changed = await resume(db, workspace);
    const text = `${titleOf(workspace)} ${changed ? 'may send again' : 'was not suspended'}.`;
    return { ok: true, text, data: { workspace_id: workspace.id, suspended: false, changed } };
  },
};
