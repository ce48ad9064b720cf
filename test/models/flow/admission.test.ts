import assert from 'node:assert/strict';
import { Admission } from '../../../models/flow/admission.js';
import { AppError } from '../../../models/errors.js';

describe('Admission', () => {
  /** How many of so many get in under this key. */
  const fill = (admission: Admission, key: string, most = 1_000) => {
    const leaves: (() => void)[] = [];
    try {
      while (leaves.length < most) leaves.push(admission.enter(key));
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'unavailable');
    }
    return leaves;
  };

  it('lets in what leaves again in good time, at the least round that it believes', () => {
    const admission = new Admission({ capacity: 10, msMax: 1_500, roundMsMin: 750 });
    assert.equal(fill(admission, 'one').length, 20);
  });

  it('lets in as many again as have left', () => {
    const admission = new Admission({ capacity: 10, msMax: 1_500, roundMsMin: 750 });
    const leaves = fill(admission, 'one');
    for (const leave of leaves.slice(0, 7)) leave();
    assert.equal(fill(admission, 'one').length, 7);
  });

  it('gives everybody the same share, and one place at least', () => {
    const admission = new Admission({ capacity: 2, msMax: 1_500, roundMsMin: 750 });
    assert.equal(fill(admission, 'flood').length, 4);
    assert.equal(fill(admission, 'other').length, 2);
    for (let index = 0; index < 20; index += 1) assert.ok(fill(admission, `key ${index}`).length >= 1);
  });

  it('lets in less while rounds take longer, also before the first of them is over', async () => {
    const admission = new Admission({ capacity: 10, msMax: 1_500, roundMsMin: 750 });
    const now = performance.now;
    try {
      let ms = 0;
      performance.now = () => ms;
      let end = () => {};
      const round = admission.round(() => new Promise<void>((resolve) => (end = resolve)));
      ms = 3_000;
      assert.equal(fill(admission, 'one').length, 5);
      end();
      await round;
      assert.equal(fill(admission, 'two').length, 3, 'half of 5');
    } finally {
      performance.now = now;
    }
  });

  it('finds back to short rounds', async () => {
    const admission = new Admission({ capacity: 10, msMax: 1_500, roundMsMin: 750 });
    for (let count = 0; count < 20; count += 1) await admission.round(async () => undefined);
    assert.equal(fill(admission, 'one').length, 20);
  });
});
