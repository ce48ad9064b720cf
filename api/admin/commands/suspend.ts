import { suspend } from '../../../models/operations/workspaces/suspend.js';
import type { Command } from '../command.js';
import { findWorkspace } from '../find-workspace.js';

export const suspendCommand: Command = {
  name: 'suspend',
  takes: ['workspace'],
  options: { reason: { type: 'string' } },
  needs: { reason: 'TEXT' },
  summary: 'Stops a workspace: its sends are refused, and what is due fails at its hand-off, refunded.',
  async run({ positionals: [named = ''], values }, { db }) {
    const workspace = await findWorkspace(named);
    const isNew = await suspend(db, workspace, String(values.reason));
    const text = `${workspace.name} (${workspace.id}) ${isNew ? 'is suspended' : 'was suspended already: the reason is the new one'}.`;
    return { ok: true, text, data: { workspace_id: workspace.id, suspended: true, changed: isNew } };
  },
};
