import { suspend } from '../../../../models/operations/workspaces/suspend.js';
import type { Command } from '../../command.js';
import { requireWorkspace, titleOf } from '../../require-workspace.js';
import { reasonIn, reasonOption } from '../../read-options.js';

export const suspendCommand: Command = {
  name: 'suspend',
  takes: ['workspace'],
  options: { reason: reasonOption },
  summary: 'Suspend a workspace: its sends are refused, and messages that become due meanwhile fail and are refunded.',
  async run(given, { db }) {
    const [named = ''] = given.positionals;
    const workspace = await requireWorkspace(named);
    const isNew = await suspend(db, workspace, reasonIn(given));
    const text = `${titleOf(workspace)} ${isNew ? 'is suspended' : 'was suspended already; the reason was replaced'}.`;
    return { ok: true, text, data: { workspace_id: workspace.id, suspended: true, changed: isNew } };
  },
};
