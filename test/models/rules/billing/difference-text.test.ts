import assert from 'node:assert/strict';
import { describeDifference, driftText } from '../../../../models/rules/billing/difference-text.js';

describe('describeDifference', () => {
  const balance = { balance: 93_000, ledger: 100_000, entry_count: 4, entries: 4 };
  for (const [what, detail, text, shown] of [
    ['balance', balance, 'balance of workspace w: 93 credits, but its entries add up to 100 credits: 7 credits too low', { balance: 93 }],
    [
      'balance',
      { ...balance, ledger: 93_000, entries: 1 },
      'balance of workspace w: its row counts 4 entries, but its ledger has 1',
      { ledger: 93, entries: 1 },
    ],
    [
      'balance',
      { ...balance, ledger: 92_500, entry_count: 1 },
      'balance of workspace w: 93 credits, but its entries add up to 92.5 credits: 0.5 credits too high; its row counts 1 entry, but its ledger has 4',
      {},
    ],
    [
      'ledger entry',
      { number: 272 },
      'entry 272 of workspace w: its number or its balance does not follow from the entries before it',
      { number: 272 },
    ],
    ['message count', { message_count: 3, shown: 2 }, 'message count of workspace w: message count 3, shown 2', { message_count: 3 }],
    [
      'charge of a message',
      { status: 'sent', cost: 1_000, credits_used: 1_000, debit: null, refund: 500, taken_over: 0 },
      'charge of a message w: status sent, cost 1 credit, credits used 1 credit, debit none, refund 0.5 credits, taken over 0 credits',
      { debit: null, refund: 0.5 },
    ],
    [
      'opening balance',
      { id: 'w', opening_balance: 5, unnumbered: 0 },
      'opening balance of workspace w: opening balance 0.005 credits, unnumbered 0 credits',
      { opening_balance: 0.005 },
    ],
  ] as const)
    it(`a difference is described with amounts in credits: ${text.slice(0, 75)}`, () => {
      const described = describeDifference({ what, id: 'w', detail });
      assert.deepEqual([described.what, described.id, described.text], [what, 'w', text]);
      assert.deepEqual({ ...described.detail, ...shown }, described.detail);
    });

  it('a balance that is too high is described', () => assert.equal(driftText(2_000, 1_000), '1 credit too high'));
});
