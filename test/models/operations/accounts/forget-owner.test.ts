import assert from 'node:assert/strict';
import { select } from '../../../../models/db/database.js';
import { forgetOwner } from '../../../../models/operations/accounts/forget-owner.js';
import { ApiKey, apiKeyColumns } from '../../../../models/tables/api-key.js';
import type { Columns } from '../../../../models/tables/columns.js';
import { webhookColumns } from '../../../../models/tables/webhook.js';
import { testConfig } from '../../../support/config.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { findInDatabase } from '../../../support/rows/find-anywhere.js';

const mark = 'nobody-else-says-this';
/** The mark as a value of a column, by its type in PostgreSQL. */
const marks: Record<string, string> = { text: mark, 'text[]': `{${mark}}`, json: JSON.stringify({ mark }) };

/** Tables with rows that stay after the end of an account, and their texts that then stay, too. */
const tables: [string, Columns, string[]][] = [
  ['api_keys', apiKeyColumns, ['key_prefix', 'scopes', 'channels']],
  ['webhooks', webhookColumns, ['events', 'disabled_reason', 'public_key', 'old_public_key']],
];
const textsOf = (columns: Columns) => Object.entries(columns).filter(([, { type }]) => type in marks);
const personalIn = (columns: Columns) => Object.entries(columns).filter(([, { isPersonal }]) => isPersonal);

describe('forgetOwner', () => {
  const test = workspaceForEach();

  for (const [table, columns, kept] of tables) {
    it(`every text of ${table} has a decision: personal, or kept`, () => {
      const decided = [...kept, ...personalIn(columns).map(([name]) => name)];
      const texts = textsOf(columns).map(([name]) => name);
      assert.deepEqual(decided.toSorted(), texts.toSorted(), 'declare a new column `personal`, or list it as kept');
    });
  }

  it('forgetting an owner removes the value of each personal column, and keeps the others', async () => {
    await ApiKey.issue(testConfig().secretKey, { workspace_id: test.workspaceId, name: 'x', scopes: ['read_messages'] });
    const { row } = await buildWebhook(test.workspaceId, 'https://one.example.test/');
    await row.update({ deleted_at: new Date() });
    for (const [table, columns] of tables) {
      const set = personalIn(columns).map(([name, { type }], index) => `"${name}" = $${index + 2}::text::${type}`);
      const values = personalIn(columns).map(([name, { type }]) => marks[type] ?? assert.fail(`${name}: no value of the type ${type}`));
      await select(test.db, `UPDATE ${table} SET ${set.join(', ')} WHERE workspace_id = $1`, [test.workspaceId, ...values]);
    }
    const full = tables.flatMap(([, columns]) => personalIn(columns));
    assert.equal((await findInDatabase(test.db, mark)).length, full.length);
    const stays = async () => {
      const found = await Promise.all(tables.map(([table, , kept]) => select(test.db, `SELECT ${kept.join(', ')} FROM ${table}`)));
      return found.flat();
    };
    const before = await stays();
    assert.equal(await forgetOwner(test.db, test.workspaceId, Date.now() + 20_000, 10), true);
    assert.deepEqual(await findInDatabase(test.db, mark), []);
    assert.deepEqual(await stays(), before);
  });

  it('forgetting an owner removes the reason of a suspension, and keeps the suspension', async () => {
    const other = await buildWorkspace(test.db);
    for (const id of [test.workspaceId, other.id])
      await select(test.db, 'INSERT INTO suspensions (workspace_id, reason) VALUES ($1, $2)', [id, mark]);
    for (let time = 1; time <= 2; time += 1) assert.ok(await forgetOwner(test.db, test.workspaceId, Date.now() + 20_000, 1));
    const reasons = await select<{ workspace_id: string; reason: string }>(test.db, 'SELECT workspace_id, reason FROM suspensions');
    assert.deepEqual(
      new Map(reasons.map(({ workspace_id, reason }) => [workspace_id, reason])),
      new Map([
        [test.workspaceId, ''],
        [other.id, mark],
      ]),
    );
  });
});
