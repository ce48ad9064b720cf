import assert from 'node:assert/strict';
import { until } from '../../support/client.js';
import { Gather, type GatherOptions, WaitedTooLong } from '../../../models/flow/gather.js';

/** Writes that end on command of the test. */
function startGather(options: GatherOptions<string>) {
  const writes: { items: string[]; end: (error?: Error) => Promise<void> }[] = [];
  const gather = new Gather<string, string>(
    (items) =>
      new Promise((resolve, reject) => {
        const end = async (error?: Error) => {
          if (error === undefined) resolve(items.map((item) => `${item}!`));
          else reject(error);
          await new Promise(setImmediate); // what follows the write has begun
        };
        writes.push({ items, end });
      }),
    options,
  );
  return { gather, writes, written: () => writes.map(({ items }) => items.join('')) };
}

describe('Gather', () => {
  it('writes the first item alone, and later ones together with a result each', async () => {
    const { gather, writes, written } = startGather({ most: 10 });
    const results = Promise.all([...'abc'].map((item) => gather.add(item)));
    assert.deepEqual(written(), ['a']);
    await writes[0]?.end();
    assert.deepEqual(written(), ['a', 'bc']);
    await writes[1]?.end();
    assert.deepEqual(await results, ['a!', 'b!', 'c!']);
    void gather.add('d');
    assert.deepEqual(written(), ['a', 'bc', 'd'], 'alone again when nothing is under way');
  });
  it('keeps to the group size and to the number of lanes', async () => {
    const { gather, writes, written } = startGather({ most: 2, lanes: 2 });
    for (const item of 'abcdefg') void gather.add(item);
    assert.deepEqual(written(), ['a', 'b']);
    await writes[1]?.end();
    assert.deepEqual(written(), ['a', 'b', 'cd']);
    await writes[0]?.end();
    assert.deepEqual(written(), ['a', 'b', 'cd', 'ef']);
    await writes[2]?.end();
    assert.deepEqual(written(), ['a', 'b', 'cd', 'ef', 'g']);
  });
  it('lets shares take turns, oldest item first', async () => {
    const { gather, writes, written } = startGather({ most: 4, shareOf: (item) => item[0] ?? '' });
    for (const item of ['a0', 'a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void gather.add(item);
    await writes[0]?.end();
    await writes[1]?.end();
    assert.deepEqual(written(), ['a0', 'a1b1c1a2', 'b2a3a4']);
  });
  it('rejects all items of a failed write, and continues', async () => {
    const { gather, writes, written } = startGather({ most: 10 });
    void gather.add('a');
    const failed = Promise.allSettled([gather.add('b'), gather.add('c')]);
    await writes[0]?.end();
    await writes[1]?.end(new Error('lost'));
    assert.deepEqual(
      (await failed).map((outcome) => outcome.status === 'rejected' && outcome.reason.message),
      ['lost', 'lost'],
    );
    void gather.add('d');
    assert.deepEqual(written(), ['a', 'bc', 'd']);
  });
  it('lets others pass a slow write', async () => {
    const { gather, writes, written } = startGather({ most: 10, lateMs: 5 });
    for (const item of 'abc') void gather.add(item);
    assert.deepEqual(written(), ['a']);
    await until(() => writes.length === 2, 'the others go beside it');
    assert.deepEqual(written(), ['a', 'bc']);
    await writes[0]?.end();
    await writes[1]?.end();
    for (const item of 'def') void gather.add(item);
    assert.deepEqual(written(), ['a', 'bc', 'd']);
  });
  it('drops items that waited too long', async () => {
    const { gather, writes, written } = startGather({ most: 10, waitMsMax: -1 });
    await assert.rejects(gather.add('a'), WaitedTooLong);
    assert.deepEqual([written(), writes.length], [[], 0]);
  });
});
