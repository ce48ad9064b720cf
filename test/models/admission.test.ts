import assert from 'node:assert/strict';
import { Admission } from '../../models/admission.js';
import { AppError } from '../../models/errors.js';

describe('Admission', () => {
  /** How many of so many get in under this key. */
  const fill = (admission: Admission, key: string, most = 1_000) => {
    const leaves: (() => void)[] = [];
    try {
      while (leaves.length < most) leaves.push(admission.enter(key));
    } catch (error) {
      assert.ok(error instanceof AppError && error.status === 503);
    }
    return leaves;
  };

  /** Runs with a clock of its own; `pass` moves it on. */
  const timed = async (test: (pass: (ms: number) => void) => Promise<void>) => {
    const { now } = performance;
    let ms = 0;
    performance.now = () => ms;
    try {
      await test((more) => (ms += more));
    } finally {
      performance.now = now;
    }
  };
  const options = { capacity: 10, msMax: 1_500 };

  it('lets in what fits in one round while nothing is known', () => {
    assert.equal(fill(new Admission(options), 'one').length, 10);
  });

  it('lets in as many again as have left', () => {
    const admission = new Admission(options);
    const leaves = fill(admission, 'one');
    for (const leave of leaves.slice(0, 7)) leave();
    assert.equal(fill(admission, 'one').length, 7);
  });

  it('gives everybody the same share, and one place at least', () => {
    const admission = new Admission({ capacity: 6, msMax: 1_500 });
    assert.equal(fill(admission, 'flood').length, 6);
    assert.equal(fill(admission, 'other').length, 3);
    for (let index = 0; index < 20; index += 1) assert.ok(fill(admission, `key ${index}`).length >= 1);
  });

  it('lets in what leaves in good time at the rate of the last second', () =>
    timed(async (pass) => {
      const admission = new Admission(options);
      for (let round = 0; round < 10; round += 1) {
        await admission.round(4, async () => pass(100));
      }
      assert.equal(fill(admission, 'one').length, 60, '40 a second');
      pass(600);
      assert.equal(fill(new Admission(options), 'one').length, 10);
      pass(500);
      assert.equal(fill(admission, 'two').length, 5, 'half of 10: of what leaves nothing is known any more');
    }));

  it('lets in less while rounds take longer than they may, also before the first of them is over', () =>
    timed(async (pass) => {
      const admission = new Admission(options);
      let end = () => {};
      const round = admission.round(1, () => new Promise<void>((resolve) => (end = resolve)));
      pass(3_000);
      assert.equal(fill(admission, 'one').length, 5);
      end();
      await round;
      assert.equal(fill(admission, 'two').length, 3, 'half of 5');
    }));

  it('finds back to short rounds', async () => {
    const admission = new Admission(options);
    await timed((pass) => admission.round(1, async () => pass(10_000)));
    for (let count = 0; count < 20; count += 1) await admission.round(0, async () => undefined);
    assert.equal(fill(admission, 'one').length, 10);
  });
});
