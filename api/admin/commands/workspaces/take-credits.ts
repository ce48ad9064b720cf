import { takeCredits } from '../../../../models/operations/billing/take-credits.js';
import { creditsText, toCredits } from '../../../../models/rules/billing/credits.js';
import { type Command, textIn } from '../../command.js';
import { requireWorkspace } from '../../require-workspace.js';
import { leftText, readCredits } from '../../read-credits.js';

export const takeCreditsCommand: Command = {
  name: 'workspace take-credits',
  takes: ['workspace', 'credits'],
  options: { reason: { value: 'TEXT', isRequired: true, about: 'The description of the ledger entry, which the owner can read' } },
  summary:
    'Take credits from a workspace. If its balance does not cover them, the rest becomes debt, which the next credits pay first. A repeated command takes them again.',
  async run(given, { db }) {
    const [named = '', credits = ''] = given.positionals;
    const amount = readCredits(credits);
    const workspace = await requireWorkspace(named);
    const left = await takeCredits(db, workspace, { amount, reason: textIn(given, 'reason') ?? '' });
    const text = `Took ${creditsText(amount)} from ${workspace.name} (${workspace.id}). ${leftText(left)}`;
    return { ok: true, text, data: { workspace_id: workspace.id, balance: toCredits(left.balance), debt: toCredits(left.debt) } };
  },
};
