import { channels } from '../../../../models/channels.js';
import { liftSuppression } from '../../../../models/operations/contacts/suppress.js';
import { erasureKey } from '../../../../models/operations/erasure/erasure-key.js';
import { systemOrigin } from '../../../../models/rules/audit/origin.js';
import { namesOnList } from '../../../../models/rules/contacts/erasure.js';
import { type Command, UsageError } from '../../command.js';
import { requireWorkspace, titleOf } from '../../require-workspace.js';

export const unsuppressCommand: Command = {
  name: 'unsuppress',
  takes: ['workspace', 'channel', 'recipient'],
  summary:
    'Remove the suppressions of a recipient, including one that the recipient made. Do so only after the recipient has agreed elsewhere.',
  async run({ positionals: [named = '', given, recipient = ''] }, { db, config }) {
    const channel = channels.find((each) => each === given);
    if (channel === undefined) throw new UsageError(`The channel must be one of: ${channels.join(', ')}`);
    const workspace = await requireWorkspace(named);
    const names = namesOnList(await erasureKey(db, config.secretKeys), channel, recipient);
    const removed = await liftSuppression(db, { workspace_id: workspace.id, channel, names }, systemOrigin('operator'));
    const text = removed
      ? `${titleOf(workspace)} may write to ${recipient} on ${channel} again.`
      : `${recipient} is not on the ${channel} list of ${titleOf(workspace)}.`;
    return { ok: removed, text, data: { workspace_id: workspace.id, channel, removed } };
  },
};
