import assert from 'node:assert/strict';
import { AdmissionControl } from '../../../models/flow/admission-control.js';
import { AppError } from '../../../models/errors.js';

describe('AdmissionControl', () => {
  /** Enters up to `max` times under this key, and returns the functions that leave again. */
  const fill = (admission: AdmissionControl, key: string, max = 1_000) => {
    const leaves: (() => void)[] = [];
    try {
      while (leaves.length < max) leaves.push(admission.enter(key));
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'unavailable');
    }
    return leaves;
  };

  it('as much work is admitted as can finish within the target latency', () => {
    const admission = new AdmissionControl({ capacity: 10, maxLatencyMs: 1_500, minRoundMs: 750 });
    assert.equal(fill(admission, 'one').length, 20);
  });

  it('new work is admitted when other work has left', () => {
    const admission = new AdmissionControl({ capacity: 10, maxLatencyMs: 1_500, minRoundMs: 750 });
    const leaves = fill(admission, 'one');
    for (const leave of leaves.slice(0, 7)) leave();
    assert.equal(fill(admission, 'one').length, 7);
  });

  it('every key has the same share of the places, and at least one', () => {
    const admission = new AdmissionControl({ capacity: 2, maxLatencyMs: 1_500, minRoundMs: 750 });
    assert.equal(fill(admission, 'flood').length, 4);
    assert.equal(fill(admission, 'other').length, 2);
    for (let index = 0; index < 20; index += 1) assert.ok(fill(admission, `key ${index}`).length >= 1);
  });

  it('less work is admitted while rounds take longer, even before the first long round ends', async () => {
    const admission = new AdmissionControl({ capacity: 10, maxLatencyMs: 1_500, minRoundMs: 750 });
    const now = performance.now;
    try {
      let ms = 0;
      performance.now = () => ms;
      let end = () => {};
      const round = admission.measureRound(() => new Promise<void>((resolve) => (end = resolve)));
      ms = 3_000;
      assert.equal(fill(admission, 'one').length, 5);
      end();
      await round;
      assert.equal(fill(admission, 'two').length, 3, 'half of 5');
    } finally {
      performance.now = now;
    }
  });

  it('work is admitted in full again after short rounds', async () => {
    const admission = new AdmissionControl({ capacity: 10, maxLatencyMs: 1_500, minRoundMs: 750 });
    for (let count = 0; count < 20; count += 1) await admission.measureRound(async () => undefined);
    assert.equal(fill(admission, 'one').length, 20);
  });
});
