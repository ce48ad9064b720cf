import assert from 'node:assert/strict';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { closeWorkspace } from '../../../models/operations/accounts/close-workspace.js';
import { takeBack } from '../../../models/operations/billing/post-credits.js';
import { systemOrigin } from '../../../models/rules/audit/origin.js';
import { ledgerOf } from '../../support/rows/messages.js';
import { runAdmin } from '../../support/run-admin.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

describe("the operator's command credit", () => {
  const app = useApi();
  let account: Account;
  before(async () => {
    account = await app.account();
  });
  const command = (...args: string[]) => runAdmin(app.deps, ...args);
  const admin = (...args: string[]) => command('credit', '--json', ...args);
  const balance = async () => (await app.call('GET', '/api/v1/balance', { key: account.key })).body.data.balance as number;

  it('workspace credit adds credits to the balance, the ledger and the audit events', async () => {
    const { code, out } = await admin(account.workspaceId, '12.5', '--reason', 'invoice 17');
    assert.deepEqual([code, JSON.parse(out)], [0, { workspace_id: account.workspaceId, balance: 112.5, debt: 0, changed: true }]);
    assert.equal(await balance(), 112.5);
    const { body } = await app.call('GET', '/api/v1/billing/transactions', { jwt: account.jwt });
    const [{ type, amount, description }] = body.data.transactions;
    assert.deepEqual([type, amount, description], ['adjustment', 12.5, 'invoice 17']);
    const audit = await app.call('GET', '/api/v1/audit-events?type=billing.credits_granted', { jwt: account.jwt });
    assert.deepEqual(audit.body.data.audit_events[0].changes, { credits: 12.5, reason: 'invoice 17' });
    await assertBooks(app.deps.db);
  });
  it('workspace credit adds the credits of one reference once, also when commands run at once', async () => {
    const earlier = await balance();
    const args = [account.workspaceId, '5', '--reason', 'invoice', '--reference', '18'];
    const ended = await Promise.all([admin(...args), admin(...args), admin(...args)]);
    assert.deepEqual(ended.map(({ out }) => JSON.parse(out).changed).filter(Boolean), [true]);
    assert.equal(await balance(), earlier + 5);
    await assertBooks(app.deps.db);
  });
  it('workspace credit exits with 1 for another amount with a used reference, and adds nothing', async () => {
    const args = ['--reason', 'invoice', '--reference', '19'];
    assert.equal((await admin(account.workspaceId, '5', ...args)).code, 0);
    const earlier = await balance();
    const { code, out } = await admin(account.workspaceId, '50', ...args);
    assert.deepEqual([code, JSON.parse(out)], [1, { error: 'Failed: the reference 19 was used to add 5 credits' }]);
    assert.equal(await balance(), earlier);
  });
  for (const credits of ['0', '-5', 'x', '1.2345', '1e3', '9999999999']) {
    it(`workspace credit exits with 2 for ${credits} credits, and adds nothing`, async () => {
      const earlier = await balance();
      assert.equal((await admin(account.workspaceId, '--reason', 'x', '--', credits)).code, 2);
      assert.equal(await balance(), earlier);
    });
  }
  it('workspace credit shows the debt that is left, as the search for workspaces and the API do', async () => {
    const { workspaceId, jwt } = await app.account({ balance: 0 });
    const { db } = app.deps;
    await db.transaction((transaction) =>
      takeBack(db, transaction, workspaceId, { reference: 'r', amount: 20_500, description: 'refund' }),
    );
    assert.match((await command('workspace', 'find', workspaceId)).out, / {2}0 credits {2}debt 20\.5 credits/);
    const { out } = await command('credit', workspaceId, '8', '--reason', 'x');
    assert.match(out, /got 8 credits\. Its balance is 0, and its debt is 12\.5\.\n$/);
    const { body } = await app.call('GET', '/api/v1/workspace', { jwt });
    assert.deepEqual([body.data.workspace.credits_balance, body.data.workspace.debt], [0, 12.5]);
    assert.equal(JSON.parse((await admin(workspaceId, '12.5', '--reason', 'x')).out).debt, 0);
    assert.doesNotMatch((await command('workspace', 'find', workspaceId)).out, /debt/);
  });
  it('workspace credit separates the thousands of the credits and of the balance', async () => {
    const { workspaceId } = await app.account({ balance: 0 });
    const { out } = await command('credit', workspaceId, '1234567.5', '--reason', 'x');
    assert.match(out, /got 1,234,567\.5 credits\. Its balance is 1,234,567\.5\.\n$/);
  });
  it('workspace take-credits takes credits, with a debt for what is missing, an entry and an audit event', async () => {
    const { workspaceId, jwt } = await app.account({ balance: 5_000 });
    const { code, out } = await command('workspace', 'take-credits', '--json', workspaceId, '7.5', '--reason', 'lost dispute');
    assert.deepEqual([code, JSON.parse(out)], [0, { workspace_id: workspaceId, balance: 0, debt: 2.5, changed: true }]);
    const { body } = await app.call('GET', '/api/v1/billing/transactions', { jwt });
    assert.deepEqual(
      body.data.transactions.slice(0, 2).map(({ type, amount, description }: Record<string, unknown>) => [type, amount, description]),
      [
        ['adjustment', -7.5, 'lost dispute'],
        ['adjustment', 2.5, 'Debt, which the next credits pay'],
      ],
    );
    const audit = await app.call('GET', '/api/v1/audit-events?type=billing.credits_taken', { jwt });
    assert.deepEqual(audit.body.data.audit_events[0].changes, { credits: 7.5, reason: 'lost dispute' });
    await assertBooks(app.deps.db);
  });
  it('workspace take-credits takes the credits of a reference once, and exits with 1 for another amount', async () => {
    const { workspaceId } = await app.account({ balance: 20_000 });
    const take = (credits: string) =>
      command('workspace', 'take-credits', workspaceId, credits, '--reason', 'x', '--reference', 'dispute 1');
    const both = await Promise.all([take('7.5'), take('7.5')]);
    assert.deepEqual(
      both.map(({ out }) => out.startsWith('Took')).toSorted((one, other) => Number(one) - Number(other)),
      [false, true],
    );
    const { code, err } = await take('8');
    assert.deepEqual([code, err], [1, 'Failed: the reference dispute 1 was used to take 7.5 credits\n']);
    assert.match((await command('workspace', 'find', workspaceId)).out, / {2}12\.5 credits/);
    await assertBooks(app.deps.db);
  });
  it('workspace credit exits with 1 for a closed workspace, and adds nothing', async () => {
    const { workspaceId } = await app.account({ balance: 0 });
    await closeWorkspace(app.deps.db, workspaceId, systemOrigin('operator'));
    const { code, out } = await admin(workspaceId, '5', '--reason', 'x');
    assert.equal(code, 1);
    assert.match(JSON.parse(out).error, /^Failed: the workspace .+ is closed: nobody could use the credits$/);
    assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), []);
  });
  it('workspace credit exits with 1 for an unknown workspace', async () => {
    assert.equal((await admin('nobody@example.com', '5', '--reason', 'x')).code, 1);
  });
});
