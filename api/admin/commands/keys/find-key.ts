import { type FoundKey, findApiKeys } from '../../../../models/operations/api-keys/find-api-keys.js';
import { aligned } from '../../aligned.js';
import type { Command } from '../../command.js';
import { readKey } from '../../read-key.js';

const shownMax = 50;

export const findKeyCommand: Command = {
  name: 'keys find',
  takes: ['key'],
  summary: `Find API keys of all workspaces by id, prefix or complete key (safer with -, which reads it from the standard input). Shows at most ${shownMax}, the newest first.`,
  async run({ positionals: [given = ''] }, { db, config: { secretKeys } }) {
    const found = await findApiKeys(db, secretKeys, await readKey(given), shownMax);
    return {
      ok: found.length > 0,
      text: found.length === 0 ? 'No API key matches.' : aligned(found.map(cellsOf)).join('\n'),
      data: { api_keys: found },
    };
  },
};

function cellsOf({ id, key_prefix, name, is_active, scopes, expires_at, last_used_at, last_used_address, ...key }: FoundKey): string[] {
  const from = last_used_address === null ? '' : ` from ${last_used_address}`;
  const facts = [
    is_active ? 'active' : 'revoked',
    ...(expires_at === null ? [] : [`expires ${expires_at.toISOString()}`]),
    last_used_at === null ? 'never used' : `last used ${last_used_at.toISOString()}${from}`,
  ];
  const owner = [`workspace ${key.workspace_id}`, key.workspace_name, key.workspace_email];
  return [id, key_prefix, name, ...owner, scopes.join(','), facts.join('  ')];
}
