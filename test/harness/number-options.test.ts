import assert from 'node:assert/strict';
import { numbersFrom } from '../../harness/report/number-options.js';

describe('the numbers on a command line', () => {
  it('numbers from the minimum on are read', () => {
    assert.deepEqual(numbersFrom(1, { seconds: '1', rate: '2.5' }), { seconds: 1, rate: 2.5 });
    assert.deepEqual(numbersFrom(0, { seed: '0' }), { seed: 0 });
  });

  it('a text that is no number, or a number below the minimum, is refused with the name of its option', () => {
    for (const text of ['x', '', ' ', '0', '-1', 'Infinity'])
      assert.throws(() => numbersFrom(1, { seconds: '5', rate: text }), { message: '--rate must be a number from 1 on' }, text);
  });
});
