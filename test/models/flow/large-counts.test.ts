import assert from 'node:assert/strict';
import { LargeCounts } from '../../../models/flow/large-counts.js';

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

  const totalOf = async (counts: LargeCounts, key: string, count: () => Promise<number>) => (await counts.of(key)(count)).total;

  it('row counts up to 10,000 are read again at each call', async () => {
    const counts = new LargeCounts();
    const { count, calls } = counted(9_999);
    assert.deepEqual([await totalOf(counts, 'a', count), await totalOf(counts, 'a', count), calls()], [9_999, 9_999, 2]);
  });

  it('row counts beyond 10,000 are remembered for half a minute, each by its key', async () => {
    const counts = new LargeCounts();
    const { count, calls } = counted(10_000);
    assert.deepEqual([await totalOf(counts, 'a', count), await totalOf(counts, 'a', count), calls()], [10_000, 10_000, 1]);
    await totalOf(counts, 'b', count);
    assert.equal(calls(), 2);
  });

  it('row counts are read once for callers at the same time', async () => {
    const counts = new LargeCounts();
    const { count, calls } = counted(3);
    assert.deepEqual(await Promise.all([totalOf(counts, 'a', count), totalOf(counts, 'a', count)]), [3, 3]);
    assert.equal(calls(), 1);
  });

  it('a row count is fresh only for the caller for whom it was read', async () => {
    const counts = new LargeCounts();
    for (const total of [3, 10_000]) {
      const count = () => counts.of(total, { of: new Date(0) })(() => Promise.resolve(total));
      const atOnce = await Promise.all([count(), count()]);
      assert.deepEqual(
        atOnce.map(({ isFresh }) => isFresh),
        [true, false],
      );
      assert.deepEqual(await count(), { total, isFresh: total < 10_000 });
    }
  });

  it('row counts are not remembered after a failure', async () => {
    const counts = new LargeCounts();
    await assert.rejects(totalOf(counts, 'a', () => Promise.reject(new Error('away'))));
    assert.equal(await totalOf(counts, 'a', counted(1).count), 1);
  });

  it('row counts are remembered for 1,000 keys at most', async () => {
    const counts = new LargeCounts();
    const { count, calls } = counted(10_000);
    for (let key = 0; key <= 1_000; key += 1) await totalOf(counts, String(key), count);
    await totalOf(counts, '1000', count);
    assert.equal(calls(), 1_001);
    await totalOf(counts, '0', count);
    assert.equal(calls(), 1_002);
  });
});
