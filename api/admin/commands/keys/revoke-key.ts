import { findApiKeys } from '../../../../models/operations/api-keys/find-api-keys.js';
import { revokeApiKey } from '../../../../models/operations/api-keys/revoke-api-key.js';
import { isWellFormedApiKey } from '../../../../models/rules/accounts/api-key.js';
import { systemOrigin } from '../../../../models/rules/audit/origin.js';
import { isUuid, onOneLine } from '../../../../models/rules/values/text.js';
import { type Command, UsageError } from '../../command.js';
import { readKey } from '../../read-key.js';
import { titleOf } from '../../require-workspace.js';
import { reasonIn, reasonOption } from '../../read-options.js';

export const revokeKeyCommand: Command = {
  name: 'keys revoke',
  takes: ['key'],
  options: { reason: reasonOption },
  summary: 'Revoke an API key permanently, by its id or the complete key (safer with -, which reads it from the standard input).',
  async run(given, { db, config: { secretKeys } }) {
    const key = await readKey(given.positionals[0] ?? '');
    // Keys may share a prefix, and the wrong one cannot be given back.
    if (!isUuid(key) && !isWellFormedApiKey(key)) {
      throw new UsageError('The key is incomplete or mistyped. Give its id ("keys find" shows it) or the complete key');
    }
    const [found] = await findApiKeys(db, secretKeys, key, 1);
    if (found === undefined) throw new Error('there is no such API key. "keys find" searches ids and prefixes');
    const { id, name, key_prefix, workspace_id, workspace_name } = found;
    const changed = await revokeApiKey(
      db,
      { workspaceId: workspace_id, id, changes: { reason: reasonIn(given) } },
      systemOrigin('operator'),
    );
    const owner = titleOf({ id: workspace_id, name: workspace_name });
    const text = `The API key ${key_prefix} "${onOneLine(name)}" (${id}) of ${owner} ${changed ? 'is revoked' : 'was revoked already'}.`;
    return { ok: true, text, data: { api_key_id: id, key_prefix, workspace_id, revoked: true, changed } };
  },
};
