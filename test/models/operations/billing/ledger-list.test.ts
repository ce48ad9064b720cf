import assert from 'node:assert/strict';
import { CreditEntry } from '../../../../models/tables/credit-entry.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { entriesRead } from '../../../support/rows/entries-read.js';
import { buildWorkspace } from '../../../support/rows/factories.js';

const history = 5_000;

describe('the list of a long ledger', () => {
  const test = useDatabase({ poolMax: 1 });

  it('a page of the ledger is numbered without a read of the whole ledger', async () => {
    const { id } = await buildWorkspace(test.db);
    await rows(
      test.db,
      `INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description)
       SELECT uuidv7(), $1, 1 + i, 'grant', 1, 100000 + i, 'old:' || i, '' FROM generate_series(1, $2::integer) i`,
      [id, history],
    );
    await rows(test.db, 'UPDATE workspaces SET balance = balance + $1, entry_count = entry_count + $1', [history]);
    await rows(test.db, 'ALTER TABLE credit_entries DISABLE TRIGGER USER');
    await rows(
      test.db,
      `INSERT INTO credit_entries (id, workspace_id, kind, amount, balance_after, reference, description)
       VALUES (uuidv7(), $1, 'grant', 1, 1, 'before the numbering', '')`,
      [id],
    );
    await rows(test.db, 'VACUUM ANALYZE credit_entries');
    const read = await entriesRead(test.db, 'credit_entries', async () => {
      for (const page of [1, 2]) assert.equal((await CreditEntry.pageOf(id, { page, limit: 10 })).total, history + 2);
    });
    assert.ok(read < 100, `${read} entries were read`);
  });
});
