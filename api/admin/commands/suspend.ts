import { suspend } from '../../../models/operations/workspaces/suspend.js';
import { type Command, textIn } from '../command.js';
import { findWorkspace } from '../find-workspace.js';

export const suspendCommand: Command = {
  name: 'suspend',
  takes: ['workspace'],
  options: { reason: { value: 'TEXT', isRequired: true, about: 'Why; it is written to the audit events' } },
  summary: 'Suspend a workspace: its sends are refused, and messages that become due meanwhile fail and are refunded.',
  async run(given, { db }) {
    const [named = ''] = given.positionals;
    const workspace = await findWorkspace(named);
    const isNew = await suspend(db, workspace, textIn(given, 'reason') ?? '');
    const text = `${workspace.name} (${workspace.id}) ${isNew ? 'is suspended' : 'was suspended already; the reason was replaced'}.`;
    return { ok: true, text, data: { workspace_id: workspace.id, suspended: true, changed: isNew } };
  },
};
