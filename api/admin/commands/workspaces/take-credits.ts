import { takeCredits } from '../../../../models/operations/billing/take-credits.js';
import { creditsText, toCredits } from '../../../../models/rules/billing/credits.js';
import { type Command, textIn } from '../../command.js';
import { requireWorkspace, titleOf } from '../../require-workspace.js';
import { creditOptions, leftText, readCredits } from '../../read-credits.js';

export const takeCreditsCommand: Command = {
  name: 'workspace take-credits',
  takes: ['workspace', 'credits'],
  options: creditOptions('takes'),
  summary:
    'Take credits from a workspace. If its balance does not cover them, the rest becomes debt, which the next credits pay first. A repeated command without a reference takes them again.',
  async run(given, { db }) {
    const [named = '', credits = ''] = given.positionals;
    const amount = readCredits(credits);
    const workspace = await requireWorkspace(named);
    const reference = textIn(given, 'reference');
    const taken = await takeCredits(db, workspace, { amount, reason: textIn(given, 'reason') ?? '', reference });
    const done = taken.isNew ? `Took ${creditsText(amount)}` : `Already took the credits of ${reference}`;
    const text = `${done} from ${titleOf(workspace)}. ${leftText(taken)}`;
    const { balance, debt, isNew } = taken;
    return { ok: true, text, data: { workspace_id: workspace.id, balance: toCredits(balance), debt: toCredits(debt), changed: isNew } };
  },
};
