import { closeWorkspace, isClosed } from '../../../../models/operations/accounts/close-workspace.js';
import { systemOrigin } from '../../../../models/rules/audit/origin.js';
import { type Command, textIn, UsageError } from '../../command.js';
import { requireWorkspace, titleOf } from '../../require-workspace.js';

export const closeWorkspaceCommand: Command = {
  name: 'workspace close',
  takes: ['workspace'],
  options: { confirm: { value: 'EMAIL', isRequired: true, about: 'The e-mail address of the workspace, because this cannot be undone' } },
  summary:
    'Close a workspace: its keys, logins and webhooks end at once, and messages that were not handed off are cancelled and refunded. This cannot be undone.',
  async run(given, { db }) {
    const workspace = await requireWorkspace(given.positionals[0] ?? '');
    const { id, email } = workspace;
    // A closed workspace has lost its address. A command that is repeated with its id must not ask for the new one.
    if (textIn(given, 'confirm')?.toLowerCase() !== email.toLowerCase() && !(await isClosed(db, id))) {
      throw new UsageError(`--confirm must be the e-mail address of ${titleOf(workspace)}`);
    }
    const changed = (await closeWorkspace(db, id, systemOrigin('operator'))) !== null; // the watcher sends the mail
    const text = changed ? `${titleOf(workspace)} is closed.` : `${id} was closed already.`;
    return { ok: true, text, data: { workspace_id: id, closed: true, changed } };
  },
};
