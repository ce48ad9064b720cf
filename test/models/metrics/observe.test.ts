import assert from 'node:assert/strict';
import { busy, insufficientCredits, spendLimitReached } from '../../../models/errors.js';
import { apiMetrics, workMetrics } from '../../../models/metrics/catalogue.js';
import { createFailureSeries, createHandoffFailureSeries, observeAccept, observeHandoff } from '../../../models/metrics/observe.js';
import { addedTo } from '../../support/measure/counted.js';

describe('the metric of single sends', () => {
  it('a send whose idempotency key is taken is not counted here, because its outcome is not known yet', async () => {
    const added = await addedTo(apiMetrics.accepts, async () => assert.equal(await observeAccept<object>('sms', async () => null), null));
    assert.deepEqual(added, {});
  });

  for (const [outcome, what, work] of [
    ['accepted', 'accepted', async () => ({})],
    ['refused', 'refused without enough credits', () => Promise.reject(insufficientCredits(2_500, 100))],
    ['refused', 'refused above the limit of the day', () => Promise.reject(spendLimitReached())],
    ['shed', 'refused because the service is busy', () => Promise.reject(busy())],
    ['failed', 'answered with an unexpected error', () => Promise.reject(new Error('the database is away'))],
  ] as const) {
    it(`a send that is ${what} counts as ${outcome}`, async () => {
      const added = await addedTo(apiMetrics.accepts, () => observeAccept<object>('sms', work).catch(() => null));
      assert.deepEqual(added, { [`sms ${outcome}`]: 1 });
    });
  }
});

describe('the metrics of hand-offs', () => {
  const timedCalls = async () =>
    (await workMetrics.handoffSeconds.get()).values
      .filter(({ metricName, labels }) => metricName?.endsWith('_count') && labels.account === 'timed')
      .reduce((sum, { value }) => sum + value, 0);

  it('a message that is given up without a call adds no time of a call', async () => {
    const provider = 'timed';
    observeHandoff('sms', { result: { provider, outcome: 'unknown' }, isUncalled: false }, performance.now());
    assert.equal(await timedCalls(), 1);
    observeHandoff(
      'sms',
      { result: { provider, outcome: 'rejected', error_code: 'handoff_unknown' }, isUncalled: false },
      performance.now(),
    );
    observeHandoff('sms', { result: { provider, outcome: 'rejected', error_code: '30008' }, isUncalled: true }, performance.now());
    assert.equal(await timedCalls(), 1);
  });
});

describe('series of events that an alert looks for', () => {
  it('series of failed sends, unknown hand-offs and missing reports are shown with 0 before the first event', async () => {
    createFailureSeries([{ method: 'post', path: '/send' }]);
    createHandoffFailureSeries({ push: [{ account: 'one' }, { account: 'two' }] });
    const requests = (await apiMetrics.requests.get()).values.filter(({ labels }) => labels.operation === 'POST /send');
    const ofWorker = [await workMetrics.handoffs.get(), await workMetrics.reportWaits.get()].flatMap(({ values }) =>
      values.filter(({ labels }) => labels.channel === 'push').map(({ labels, value }) => [...Object.values(labels), value]),
    );
    assert.deepEqual(
      [...requests.map(({ labels, value }) => [...Object.values(labels), value]), ...ofWorker],
      [
        ['POST /send', '5xx', 0],
        ['push', 'one', 'handoff_unknown', 0],
        ['push', 'two', 'handoff_unknown', 0],
        ['push', 'reported', 0],
        ['push', 'missing', 0],
      ],
    );
  });
});
