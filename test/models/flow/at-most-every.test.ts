import assert from 'node:assert/strict';
import { atMostEvery } from '../../../models/flow/at-most-every.js';
import { until } from '../../support/client.js';

describe('atMostEvery', () => {
  it('limited work runs at once, and once more for all calls of the interval', async () => {
    const runs: number[] = [];
    const call = atMostEvery(200, () => runs.push(performance.now()));
    call();
    assert.equal(runs.length, 1);
    for (let count = 0; count < 5; count++) call();
    await until(() => runs.length > 1, 'the second run');
    const [first = 0, second = 0] = runs;
    assert.ok(second - first >= 150, `${second - first} ms`); // timers count whole milliseconds, and may be early by one
    assert.equal(runs.length, 2);
  });

  it('limited work runs at once again after the interval', () => {
    let runs = 0;
    const call = atMostEvery(0, () => (runs += 1));
    call();
    call();
    assert.equal(runs, 2);
  });
});
