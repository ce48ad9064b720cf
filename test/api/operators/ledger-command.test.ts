import assert from 'node:assert/strict';
import { buildQueued } from '../../support/rows/factories.js';
import { giveUpNow } from '../../support/rows/messages.js';
import { runAdmin } from '../../support/run-admin.js';
import { useApi } from '../use-api.js';

describe("the operator's command workspace ledger", () => {
  const app = useApi();
  const run = (...args: string[]) => runAdmin({ db: app.deps.db }, 'workspace', 'ledger', ...args);

  it('workspace ledger shows the newest entries in credits, with their numbers, balances and causes', async () => {
    const { workspaceId } = await app.account({ balance: 10_500 });
    const { id } = await buildQueued(app.deps.db, workspaceId);
    await giveUpNow(app.deps.db, id);
    const { code, out } = await run(workspaceId, '--json');
    assert.equal(code, 0);
    const { entries, ...rest } = JSON.parse(out);
    assert.deepEqual(rest, { workspace_id: workspaceId, limit: 20, has_more: false });
    type Entry = { number: number; type: string; amount: number; balance_after: number; reference: string };
    assert.deepEqual(
      (entries as Entry[]).map(({ number, type, amount, balance_after, reference }) => [number, type, amount, balance_after, reference]),
      [
        [3, 'refund', 1, 10.5, id],
        [2, 'debit', -1, 9.5, id],
        [1, 'grant', 10.5, 10.5, workspaceId],
      ],
    );
    const text = (await run(workspaceId, '--limit', '2')).out.split('\n');
    assert.match(text[0] ?? '', new RegExp(`^\\S+Z  entry 3  refund {9}\\+1  balance 10\\.5  ${id}  Refund: sms message `));
    assert.match(text[1] ?? '', new RegExp(`^\\S+Z  entry 2  debit {10}-1  balance 9\\.5 {3}${id}  1 sms message$`));
    assert.equal(text[2], 'The first 2 entries (--limit). There are more.');
    assert.equal((await run(workspaceId)).out.split('\n').at(-2), '3 entries.');
  });

  it('workspace ledger exits with 1 for an unknown workspace, and with 2 for a limit of 0', async () => {
    const { code, err } = await run('nobody@example.com');
    assert.equal(code, 1);
    assert.match(err, /there is no workspace nobody@example\.com/);
    const none = await run('nobody@example.com', '--limit', '0');
    assert.deepEqual([none.code, none.err], [2, '--limit must be a number from 1 to 1000\n']);
  });
});
