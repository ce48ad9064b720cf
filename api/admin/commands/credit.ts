import { grantCredits } from '../../../models/operations/billing/grant-credits.js';
import { formatCredits, toCredits } from '../../../models/rules/billing/credits.js';
import { type Command, UsageError } from '../command.js';
import { findWorkspace } from '../find-workspace.js';

const creditsMax = 1_000_000_000;

export const creditCommand: Command = {
  name: 'credit',
  takes: ['workspace', 'credits'],
  options: { reason: { type: 'string' }, reference: { type: 'string' } },
  needs: { reason: 'TEXT' },
  summary: 'Add credits to a workspace. With --reference TEXT, for example an invoice number, a repeated command adds them only once.',
  async run({ positionals: [named = '', credits = ''], values: { reason, reference } }, { db }) {
    const amount = /^\d{1,10}(\.\d{1,3})?$/.test(credits) ? Math.round(Number(credits) * 1000) : 0;
    if (amount === 0 || amount > creditsMax * 1000) {
      throw new UsageError(`The credits must be a number above 0, at most ${creditsMax}, with at most 3 decimals`);
    }
    const workspace = await findWorkspace(named);
    const grant = { amount, reason: String(reason), ...(typeof reference === 'string' ? { reference } : {}) };
    const { balance, isNew } = await grantCredits(db, workspace, grant);
    const done = isNew ? `has got ${formatCredits(amount)} credits` : `had got the credits of ${String(reference)} already`;
    const text = `${workspace.name} (${workspace.id}) ${done}. Its balance is ${formatCredits(balance)}.`;
    return { ok: true, text, data: { workspace_id: workspace.id, balance: toCredits(balance), changed: isNew } };
  },
};
