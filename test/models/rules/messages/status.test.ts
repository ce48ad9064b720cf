import assert from 'node:assert/strict';
import fc from 'fast-check';
import { movesInto, publicStatuses, type ReportStatus, reportOrder, type Status } from '../../../../models/rules/messages/status.js';

const rank: Record<Status, number> = { accepting: 0, queued: 1, sent: 2, failed: 3, delivered: 4, read: 5 };

describe('the table of moves', () => {
  it('the statuses have exactly the transitions of the contract', () => {
    const moves = publicStatuses.flatMap((to) => movesInto[to].map((from) => `${from}→${to}`));
    const expected = [
      'accepting→queued',
      'queued→sent',
      'sent→delivered',
      'failed→delivered',
      'queued→failed',
      'sent→failed',
      'sent→read',
      'delivered→read',
    ];
    assert.deepEqual(moves.toSorted(), expected.toSorted());
  });

  it('the status transitions have no cycle', () => {
    for (const to of publicStatuses) for (const from of movesInto[to]) assert.ok(rank[from] < rank[to], `${from} → ${to}`);
  });

  it('reports lead to the same status in any order, unless they contain a failure and a read receipt', () => {
    const sets = fc
      .constantFrom<ReportStatus[]>(['sent', 'delivered', 'failed'], ['sent', 'delivered', 'read'])
      .chain((all) => fc.subarray(all, { minLength: 1 }));
    const shuffled = sets
      .chain((set) => fc.tuple(fc.constant(set), fc.array(fc.constantFrom(...set), { maxLength: 8 })))
      .chain(([set, again]) => fc.shuffledSubarray([...set, ...again], { minLength: set.length + again.length }));
    fc.assert(
      fc.property(shuffled, (sequence: ReportStatus[]) => {
        let status: Status = 'sent';
        for (const report of sequence) if (movesInto[report].includes(status)) status = report;
        const expected = sequence.reduce<Status>((best, report) => (rank[report] > rank[best] ? report : best), 'sent');
        assert.equal(status, expected);
      }),
    );
  });

  it('reports that arrive together are applied in the order that loses none', () => {
    assert.deepEqual([...reportOrder], ['sent', 'delivered', 'failed', 'read']);
  });
});
