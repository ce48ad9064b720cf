import { grantCredits } from '../../../models/operations/billing/grant-credits.js';
import { formatCredits, toCredits } from '../../../models/rules/billing/credits.js';
import type { Command } from '../command.js';
import { findWorkspace } from '../find-workspace.js';
import { readCredits } from '../read-credits.js';

export const creditCommand: Command = {
  name: 'credit',
  takes: ['workspace', 'credits'],
  options: { reason: { type: 'string' }, reference: { type: 'string' } },
  needs: { reason: 'TEXT' },
  summary: 'Add credits to a workspace. With --reference TEXT, for example an invoice number, a repeated command adds them only once.',
  async run({ positionals: [named = '', credits = ''], values: { reason, reference } }, { db }) {
    const amount = readCredits(credits);
    const workspace = await findWorkspace(named);
    const grant = { amount, reason: String(reason), ...(typeof reference === 'string' ? { reference } : {}) };
    const { balance, isNew } = await grantCredits(db, workspace, grant);
    const done = isNew ? `has got ${formatCredits(amount)} credits` : `had got the credits of ${String(reference)} already`;
    const text = `${workspace.name} (${workspace.id}) ${done}. Its balance is ${formatCredits(balance)}.`;
    return { ok: true, text, data: { workspace_id: workspace.id, balance: toCredits(balance), changed: isNew } };
  },
};
