import { suspend } from '../../../models/operations/workspaces/suspend.js';
import type { Command } from '../command.js';
import { findWorkspace } from '../find-workspace.js';

export const suspendCommand: Command = {
  name: 'suspend',
  takes: ['workspace'],
  options: { reason: { type: 'string' } },
  needs: { reason: 'TEXT' },
  summary: 'Suspend a workspace: its sends are refused, and its queued messages fail and are refunded.',
  async run({ positionals: [named = ''], values }, { db }) {
    const workspace = await findWorkspace(named);
    const isNew = await suspend(db, workspace, String(values.reason));
    const text = `${workspace.name} (${workspace.id}) ${isNew ? 'is suspended' : 'was suspended already; the reason was replaced'}.`;
    return { ok: true, text, data: { workspace_id: workspace.id, suspended: true, changed: isNew } };
  },
};
