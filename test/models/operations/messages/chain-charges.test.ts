import assert from 'node:assert/strict';
import { systemOrigin } from '../../../../models/rules/audit/origin.js';
import { closeWorkspace } from '../../../../models/operations/accounts/close-workspace.js';
import { settleClosed } from '../../../../models/operations/accounts/settle-closed.js';
import { cancelErased } from '../../../../models/operations/erasure/cancel-erased.js';
import { eraseRecipient } from '../../../../models/operations/erasure/erase-recipient.js';
import { rows } from '../../../support/database.js';
import { address, chainsForEach } from '../../../support/rows/chains.js';
import { acceptedAs, giveUpNow, messageOf, reportOf } from '../../../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';

describe('the charge of a chain, when a message is refunded after a step was sent', () => {
  const { test, buildChain, end, costsOf, movements } = chainsForEach();

  it('a chain costs the price of the step when the message before it is given up as unknown', async () => {
    const ids = await buildChain(['sms', 'email']);
    assert.deepEqual(await costsOf(ids), [1_000, 0]);
    await giveUpNow(test.db, ids[0] ?? '');
    await giveUpNow(test.db, ids[0] ?? '');
    assert.deepEqual(
      [await costsOf(ids), await movements()],
      [
        [0, 100],
        ['debit -1000', 'refund 900'],
      ],
    );
    const [entry] = await rows<{ description: string }>(test.db, `SELECT description FROM credit_entries WHERE kind = 'refund'`);
    assert.equal(entry?.description, 'Refund: sms message handoff_unknown, less 0.1 for its fallback');
  });

  it('a chain costs the price of the step when the message before it is refused late', async () => {
    const ids = await buildChain(['sms', 'email']);
    await recordHandoffs(test.db, [acceptedAs({ id: ids[1] ?? '', attempt: 1 })]);
    await end(ids[0], 'refused');
    await end(ids[0], 'refused');
    assert.deepEqual(
      [await costsOf(ids), await movements()],
      [
        [0, 100],
        ['debit -1000', 'refund 900'],
      ],
    );
  });

  it('a refused message is not refunded while its step costs as much or more', async () => {
    const ids = await buildChain(['whatsapp', 'sms']);
    await end(ids[0], 'refused');
    assert.deepEqual(
      [await costsOf(ids), await movements()],
      [
        [0, 1_000],
        ['debit -500', 'debit -500'],
      ],
    );
    await end(ids[1], 'refused');
    assert.deepEqual([await costsOf(ids), (await movements())[2]], [[0, 0], 'refund 1000']);
  });

  for (const [first, second] of [
    [0, 1],
    [1, 0],
  ] as const)
    it(`a chain is refunded in full when message ${first + 1} and then message ${second + 1} fails`, async () => {
      const ids = await buildChain(['sms', 'whatsapp']);
      await end(ids[first], 'refused');
      await end(ids[second], 'refused');
      assert.deepEqual(await costsOf(ids), [0, 0]);
      const sum = (await movements()).reduce((total, entry) => total + Number(entry.split(' ')[1]), 0);
      assert.equal(sum, 0);
    });

  it('a chain costs the price of the most expensive step that is left', async () => {
    const ids = await buildChain(['sms', 'email', 'whatsapp']);
    await giveUpNow(test.db, ids[0] ?? '');
    assert.deepEqual(await costsOf(ids), [0, 100, 400]);
    await end(ids[1], 'refused');
    assert.deepEqual(
      [await costsOf(ids), await movements()],
      [
        [0, 0, 500],
        ['debit -1000', 'refund 500'],
      ],
    );
  });

  it('a refunded step costs nothing, although a late report says that it arrived', async () => {
    const ids = await buildChain(['sms', 'email']);
    const [first = '', second = ''] = ids;
    await giveUpNow(test.db, second);
    await recordReports(test.db, [reportOf({ id: second, provider_message_id: 'late' }, 'delivered')]);
    await applyReports(test.db, second);
    assert.equal((await messageOf(test.db, second)).status, 'delivered');
    await giveUpNow(test.db, first);
    assert.deepEqual(
      [await costsOf(ids), await movements()],
      [
        [0, 0],
        ['debit -1000', 'refund 1000'],
      ],
    );
  });

  it('a chain costs the price of the step when its recipient was erased meanwhile', async () => {
    const ids = await buildChain(['sms', 'email']);
    await eraseRecipient(test.db, Buffer.alloc(32, 1), { workspaceId: test.workspaceId, recipient: address, at: new Date() });
    const [chain] = await rows<{ steps: object[] }>(test.db, 'SELECT steps FROM fallbacks WHERE message_id = $1', [ids[0]]);
    assert.deepEqual(chain?.steps, [{ channel: 'email', after: 60, price: 100 }]);
    await giveUpNow(test.db, ids[0] ?? '');
    assert.deepEqual(await costsOf(ids), [0, 100]);
  });

  it('a chain costs the price of the step when its message is cancelled by an erasure or with its account', async () => {
    const erased = await buildChain(['sms', 'email']);
    await end(erased[0], 'busy');
    await cancelErased(test.db, erased);
    const closed = await buildChain(['sms', 'email']);
    await end(closed[0], 'busy');
    await closeWorkspace(test.db, test.workspaceId, systemOrigin('operator'));
    await settleClosed(test.db, test.workspaceId, Date.now() + 10_000);
    assert.deepEqual(
      [await costsOf(erased), await costsOf(closed)],
      [
        [0, 100],
        [0, 100],
      ],
    );
  });
});
