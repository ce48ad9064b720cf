import { type FoundWorkspace, findWorkspaces } from '../../../../models/operations/workspaces/find-workspaces.js';
import { creditsText, toCredits } from '../../../../models/rules/billing/credits.js';
import { aligned } from '../../aligned.js';
import type { Command } from '../../command.js';

const shownMax = 50;

export const findWorkspaceCommand: Command = {
  name: 'workspace find',
  takes: ['text'],
  settings: ['DATABASE_URL'],
  summary: `Find workspaces by their id, or by a part of their name or e-mail address. Shows at most ${shownMax}, the newest first.`,
  async run({ positionals: [text = ''] }, { db }) {
    const found = await findWorkspaces(db, text, shownMax);
    const workspaces = found.map(({ balance, debt, ...workspace }) => ({
      ...workspace,
      balance: toCredits(balance),
      debt: toCredits(debt),
    }));
    return {
      ok: found.length > 0,
      text: found.length === 0 ? 'No workspace matches.' : aligned(found.map(cellsOf)).join('\n'),
      data: { workspaces },
    };
  },
};

function cellsOf({ id, name, email, balance, debt, email_verified, closed_at, suspended }: FoundWorkspace): string[] {
  const states = [
    ...(debt === 0 ? [] : [`debt ${creditsText(debt)}`]),
    ...(closed_at === null ? [] : [`closed ${closed_at.toISOString()}`]),
    ...(suspended === null ? [] : [suspended === '' ? 'suspended' : `suspended: ${suspended}`]),
    ...(email_verified || closed_at !== null ? [] : ['address not verified']),
  ];
  return [id, name, email, creditsText(balance), states.join('  ')];
}
