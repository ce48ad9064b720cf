import { explainDatabaseError } from '../../../../models/db/explain-database-error.js';
import { auditNow, storeDifferences } from '../../../../models/operations/billing/audit-books.js';
import { acknowledgeDrift } from '../../../../models/operations/billing/acknowledge-drift.js';
import { creditsText, toCredits } from '../../../../models/rules/billing/credits.js';
import { describeDifference, type Difference } from '../../../../models/rules/billing/difference-text.js';
import type { Database } from '../../../../models/db/database.js';
import { countText } from '../../../../models/rules/values/text.js';
import { type Command, type CommandOutcome, textIn } from '../../command.js';
import { requireWorkspace } from '../../require-workspace.js';

export const auditCommand: Command = {
  name: 'audit',
  takes: [],
  settings: ['DATABASE_URL'],
  options: {
    acknowledge: {
      value: 'WORKSPACE',
      about: 'Accept the current balance of this workspace as correct, and post the difference to its ledger',
    },
  },
  summary: 'Compare every ledger entry, message, batch and order with its counterpart now. Fails if something differs.',
  run(given, { db }) {
    const workspace = textIn(given, 'acknowledge');
    return workspace === undefined ? auditAll(db) : acknowledge(db, workspace);
  },
};

async function auditAll(db: Database): Promise<CommandOutcome> {
  const differences: Difference[] = [];
  const count = await auditNow(db, (difference) => differences.push(difference));
  const described = differences.map(describeDifference);
  const lines = described.map(({ text }) => text);
  // They are shown even if the database takes no writes now.
  const unstored = await storeDifferences(db, count).then(() => null, explainDatabaseError);
  if (unstored !== null) lines.push(`The number of differences was not stored, so the alert stays as it is: ${unstored}.`);
  return {
    ok: count === 0 && unstored === null,
    isReport: true,
    text: [...lines, `${countText(count, 'difference')}.`].join('\n'),
    data: { count, differences: described, ...(unstored === null ? {} : { unstored }) },
  };
}

async function acknowledge(db: Database, named: string): Promise<CommandOutcome> {
  const workspace = await requireWorkspace(named);
  const correction = await acknowledgeDrift(db, workspace);
  const posted = correction === 0 ? 'Its ledger has the same sum' : `Its ledger got a correction of ${creditsText(correction)}`;
  const text = `The balance of ${workspace.id} is now accepted as correct. ${posted}.`;
  return { ok: true, text, data: { workspace_id: workspace.id, correction: toCredits(correction) } };
}
