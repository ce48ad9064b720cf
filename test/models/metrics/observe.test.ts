import assert from 'node:assert/strict';
import { busy, insufficientCredits, spendLimitReached } from '../../../models/errors.js';
import { apiMetrics } from '../../../models/metrics/catalogue.js';
import { observeAccept } from '../../../models/metrics/observe.js';

describe('the metric of single sends', () => {
  const outcomes = async () => {
    const { values } = await apiMetrics.accepts.get();
    return new Map(values.filter(({ labels }) => labels.channel === 'sms').map(({ labels, value }) => [String(labels.outcome), value]));
  };

  for (const [outcome, what, work] of [
    ['accepted', 'accepted', async () => ({})],
    ['repeated', 'repeated', async () => null],
    ['refused', 'refused without enough credits', () => Promise.reject(insufficientCredits(2_500, 100))],
    ['refused', 'refused above the limit of the day', () => Promise.reject(spendLimitReached())],
    ['shed', 'refused because the service is busy', () => Promise.reject(busy())],
    ['failed', 'answered with an unexpected error', () => Promise.reject(new Error('the database is away'))],
  ] as const) {
    it(`a send that is ${what} counts as ${outcome}`, async () => {
      const before = await outcomes();
      await observeAccept<object>('sms', work).catch(() => null);
      const counted = [...(await outcomes())].filter(([name, value]) => value !== (before.get(name) ?? 0));
      assert.deepEqual(counted, [[outcome, (before.get(outcome) ?? 0) + 1]]);
    });
  }
});
