import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { atLeast, atMost, changeOf, formatPercentiles, percentileCell } from '../../harness/measure/figures.js';
import { percentiles } from '../../harness/measure/pass.js';
import { sayReport } from '../../harness/report/say.js';

describe('the report of a measurement', () => {
  /** Prints the report. @returns its exit code and its text */
  const said = (...lines: Parameters<typeof sayReport>) => {
    const { mock: write } = mock.method(process.stdout, 'write', () => true);
    try {
      return [sayReport(...lines), write.calls.map(({ arguments: [text] }) => String(text)).join('')];
    } finally {
      write.restore();
    }
  };

  it('a report exits with 0 when every figure meets its target, and with 1 when one misses it', () => {
    const met = atMost('p95 ms', 40, 50, 0);
    assert.deepEqual(said('sends', met), [0, `sends\n✓ ${'p95 ms'.padEnd(30)}     40   target: at most 50\n`]);
    assert.equal(said(met, atLeast('messages/s', 199, 200), 'the end')[0], 1);
  });

  it('a figure without measurements misses its target, and words say so', () => {
    assert.deepEqual(said(atMost('p95 ms', Number.NaN, 50)), [1, `✗ ${'p95 ms'.padEnd(30)} not measured   target: at most 50\n`]);
  });

  it('a report shows no number that cannot be computed', () => {
    const none = percentiles([]);
    assert.deepEqual([formatPercentiles(none), percentileCell(none)], ['not measured', '–']);
    assert.deepEqual([changeOf(5, Number.NaN), changeOf(5, 0), changeOf(6, 5)], ['not measured → 5.0', '0.0 → 5.0', '5.0 → 6.0 (+20 %)']);
  });
});
