import assert from 'node:assert/strict';
import { useApi } from '../use-api.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const transactions = '/api/v1/billing/transactions';

describe('GET /billing/transactions', () => {
  const app = useApi();

  it('the list of transactions shows the ledger of the workspace in pages, newest first', async () => {
    const { jwt, key, workspaceId } = await app.account({ balance: 10_000 });
    await app.account();
    const sent = await app.call('POST', '/api/v1/messages/send', {
      key,
      body: { to: 'a@example.com', channel: 'email', content: { text: 'x' } },
    });
    const { status, body } = await app.call('GET', transactions, { jwt });
    assert.equal(status, 200);
    const { id } = sent.body.data.message;
    assert.deepEqual(
      body.data.transactions.map(({ id: _, created_at: at, ...rest }: Record<string, string>) => ({
        ...rest,
        isRecent: Date.now() - Date.parse(at ?? '') < 60_000,
      })),
      [
        {
          type: 'debit',
          amount: -toCredits(prices.email),
          balance_after: toCredits(10_000 - prices.email),
          description: '1 email message',
          reference: id,
          isRecent: true,
        },
        { type: 'grant', amount: 10, balance_after: 10, description: 'Signup credits', reference: workspaceId, isRecent: true },
      ],
    );
    const second = await app.call('GET', `${transactions}?page=2&limit=1`, { jwt });
    assert.deepEqual(second.body.data.pagination, { total: 2, page: 2, pages: 2, limit: 1, next_cursor: null });
    assert.equal(second.body.data.transactions[0].type, 'grant');
    assert.equal((await app.call('GET', `${transactions}?limit=101`, { jwt })).status, 400);
  });
});
