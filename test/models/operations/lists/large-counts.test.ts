import assert from 'node:assert/strict';
import { LargeCounts } from '../../../../models/operations/lists/large-counts.js';

describe('numbers of listed rows', () => {
  const counted = (total: number) => {
    let calls = 0;
    return {
      count: () => {
        calls += 1;
        return Promise.resolve(total);
      },
      calls: () => calls,
    };
  };

  it('numbers up to 10,000 are counted again at each call', async () => {
    const counts = new LargeCounts();
    const { count, calls } = counted(9_999);
    assert.deepEqual([await counts.get('a', count), await counts.get('a', count), calls()], [9_999, 9_999, 2]);
  });

  it('numbers beyond 10,000 are remembered for half a minute, each by its key', async () => {
    const counts = new LargeCounts();
    const { count, calls } = counted(10_000);
    assert.deepEqual([await counts.get('a', count), await counts.get('a', count), calls()], [10_000, 10_000, 1]);
    await counts.get('b', count);
    assert.equal(calls(), 2);
  });

  it('numbers are counted once for callers at the same time', async () => {
    const counts = new LargeCounts();
    const { count, calls } = counted(3);
    assert.deepEqual(await Promise.all([counts.get('a', count), counts.get('a', count)]), [3, 3]);
    assert.equal(calls(), 1);
  });

  it('numbers are not remembered after a failure', async () => {
    const counts = new LargeCounts();
    await assert.rejects(counts.get('a', () => Promise.reject(new Error('away'))));
    assert.equal(await counts.get('a', counted(1).count), 1);
  });

  it('numbers are remembered for 1,000 keys at most', async () => {
    const counts = new LargeCounts();
    const { count, calls } = counted(10_000);
    for (let key = 0; key <= 1_000; key += 1) await counts.get(String(key), count);
    await counts.get('1000', count);
    assert.equal(calls(), 1_001);
    await counts.get('0', count);
    assert.equal(calls(), 1_002);
  });
});
