import { grantCredits } from '../../../models/operations/billing/grant-credits.js';
import { creditsText, formatCredits, toCredits } from '../../../models/rules/billing/credits.js';
import { type Command, textIn } from '../command.js';
import { findWorkspace } from '../find-workspace.js';
import { readCredits } from '../read-credits.js';

export const creditCommand: Command = {
  name: 'workspace credit',
  aliases: ['credit'],
  takes: ['workspace', 'credits'],
  options: {
    reason: { value: 'TEXT', isRequired: true, about: 'The description of the ledger entry, which the owner can read' },
    reference: {
      value: 'TEXT',
      about: 'A name such as an invoice number. A repeated command with it adds the credits only once; another amount is refused',
    },
  },
  summary: 'Add credits to a workspace.',
  async run(given, { db }) {
    const [named = '', credits = ''] = given.positionals;
    const [reason = '', reference] = [textIn(given, 'reason'), textIn(given, 'reference')];
    const amount = readCredits(credits);
    const workspace = await findWorkspace(named);
    const grant = { amount, reason, reference };
    const { balance, isNew } = await grantCredits(db, workspace, grant);
    const done = isNew ? `got ${creditsText(amount)}` : `already got the credits of ${reference}`;
    const text = `${workspace.name} (${workspace.id}) ${done}. Its balance is ${formatCredits(balance)}.`;
    return { ok: true, text, data: { workspace_id: workspace.id, balance: toCredits(balance), changed: isNew } };
  },
};
