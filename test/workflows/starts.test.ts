import assert from 'node:assert/strict';
import { lateReportsSignal, lateReportsStart, mailStart } from '../../workflows/starts.js';

describe('starts of workflows', () => {
  it('those for late reports and mails have a summary for the Temporal Web UI', () => {
    const summaries = [lateReportsSignal('g'), lateReportsStart({ groupId: 'g', isOver: true }), mailStart('m')].map(
      ({ staticSummary }) => staticSummary,
    );
    assert.deepEqual(summaries, ['late reports of g', 'overdue reports of g', 'account mail m']);
  });
});
