import assert from 'node:assert/strict';
import { rows } from '../../../support/database.js';
import { prices } from '../../../support/prices.js';
import { chainsForEach } from '../../../support/rows/chains.js';

describe('the charge of a chain', () => {
  const { test, buildChain, sendNext, loseAnswer, end, costsOf } = chainsForEach();

  describe('at the limit of the day', () => {
    const spent = async () =>
      (await rows<{ spent_today: number }>(test.db, 'SELECT spent_today FROM workspaces WHERE id = $1', [test.workspaceId]))[0]
        ?.spent_today;

    it('a charge that a step takes over counts for the limit of the day until the step is refunded too', async () => {
      const ids = await buildChain(['sms', 'email']);
      await end(ids[0], 'refused');
      assert.equal(await spent(), prices.email);
      await end(ids[1], 'refused');
      assert.equal(await spent(), 0);
    });

    it('a refund gives nothing back to the limit of today for a chain that was debited yesterday', async () => {
      const ids = await buildChain(['whatsapp'], ['sms']);
      await rows(test.db, 'ALTER TABLE credit_entries DISABLE TRIGGER USER');
      await rows(test.db, `UPDATE credit_entries SET created_at = created_at - interval '1 day' WHERE reference = $1`, ids);
      await rows(test.db, 'ALTER TABLE credit_entries ENABLE TRIGGER USER');
      await rows(test.db, 'UPDATE workspaces SET spend_day = spend_day - 1 WHERE id = $1', [test.workspaceId]);
      const step = await sendNext(ids[0] ?? '');
      await loseAnswer(step);
      await end(ids[0], 'refused');
      await end(step, 'refused');
      assert.deepEqual([await costsOf([...ids, step]), await spent()], [[0, 0], prices.whatsapp]);
    });
  });

  describe('with everything at the same time', () => {
    for (const [what, failing] of [
      ['a refund and the next step', [0]],
      ['two refunds and the next step', [0, 1]],
    ] as const)
      it(`a chain costs the price of what is left: ${what}`, async () => {
        for (let round = 0; round < 12; round += 1) {
          const ids = await buildChain(['sms', 'email'], ['whatsapp']);
          const [next] = await Promise.all([sendNext(ids[1] ?? ''), ...failing.map((place) => end(ids[place], 'refused'))]);
          const costs = await costsOf([...ids, next]);
          assert.equal(
            costs.reduce((sum, cost) => sum + cost, 0),
            prices.whatsapp,
            String(costs),
          );
        }
      });

    it('a chain costs nothing when all its messages fail', async () => {
      for (let round = 0; round < 12; round += 1) {
        const ids = await buildChain(['sms', 'email', 'whatsapp']);
        await Promise.all(ids.map((id) => end(id, 'refused')));
        assert.deepEqual(await costsOf(ids), [0, 0, 0]);
      }
    });
  });
});
