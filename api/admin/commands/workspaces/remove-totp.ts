import { AppError } from '../../../../models/errors.js';
import { removeTotpByOperator } from '../../../../models/operations/accounts/set-totp.js';
import { systemOrigin } from '../../../../models/rules/audit/origin.js';
import type { Command } from '../../command.js';
import { requireWorkspace, titleOf } from '../../require-workspace.js';
import { reasonIn, reasonOption } from '../../read-options.js';

export const removeTotpCommand: Command = {
  name: 'totp remove',
  takes: ['workspace'],
  options: { reason: reasonOption },
  summary: 'Disable the second factor of a workspace: its owner logs in with the password alone, and gets an e-mail.',
  async run(given, { db }) {
    const workspace = await requireWorkspace(given.positionals[0] ?? '');
    const changed = await removeTotpByOperator(db, workspace.id, reasonIn(given), systemOrigin('operator')).then(() => true, wasOff); // the watcher sends the mail
    const text = changed ? `The second factor of ${titleOf(workspace)} is disabled.` : `${titleOf(workspace)} had no second factor.`;
    return { ok: true, text, data: { workspace_id: workspace.id, totp: false, changed } };
  },
};

function wasOff(error: unknown): false {
  if (error instanceof AppError && error.code === 'conflict') return false;
  throw error;
}
