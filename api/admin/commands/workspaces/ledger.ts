import { formatCredits } from '../../../../models/rules/billing/credits.js';
import { countText } from '../../../../models/rules/values/text.js';
import { CreditEntry } from '../../../../models/tables/credit-entry.js';
import { presentTransaction } from '../../../present/presenters.js';
import { aligned } from '../../aligned.js';
import type { Command } from '../../command.js';
import { requireWorkspace } from '../../require-workspace.js';
import { firstOf, numberIn } from '../../read-options.js';

const limits = { default: 20, min: 1, max: 1_000 };

export const ledgerCommand: Command = {
  name: 'workspace ledger',
  takes: ['workspace'],
  settings: ['DATABASE_URL'],
  options: { limit: { value: 'N', about: `Maximum number of entries (default ${limits.default})` } },
  summary:
    'Show the newest ledger entries of a workspace: kind, credits, balance after, and the message, batch or payment that caused each.',
  async run(given) {
    const limit = numberIn(given, 'limit', limits);
    const workspace = await requireWorkspace(given.positionals[0] ?? '');
    const { rows, total } = await CreditEntry.pageOf(workspace.id, { page: 1, limit });
    const hasMore = (total ?? 0) > rows.length;
    const end = hasMore ? firstOf(rows.length, 'entry', 'entries') : `${countText(rows.length, 'entry', 'entries')}.`;
    return {
      ok: true,
      text: [...aligned(rows.map(cellsOf)), end].join('\n'),
      data: {
        workspace_id: workspace.id,
        entries: rows.map((row) => ({ number: row.number, ...presentTransaction(row) })),
        limit,
        has_more: hasMore,
      },
    };
  },
};

function cellsOf({ number, kind, amount, balance_after, reference, description, created_at }: CreditEntry): string[] {
  const credits = `${amount > 0 ? '+' : ''}${formatCredits(amount)}`.padStart(9);
  const label = number === null ? 'entry without number' : `entry ${number}`;
  const after = `balance ${formatCredits(balance_after)}`;
  return [created_at.toISOString(), label, kind, credits, after, reference, description];
}
