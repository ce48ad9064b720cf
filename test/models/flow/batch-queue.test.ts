import assert from 'node:assert/strict';
import { until } from '../../support/client.js';
import { BatchQueue, type BatchQueueOptions, QueueTimeoutError } from '../../../models/flow/batch-queue.js';

/** Writes that end when the test says so. */
function startQueue(options: BatchQueueOptions<string>) {
  const writes: { items: string[]; end: (error?: Error) => Promise<void> }[] = [];
  const queue = new BatchQueue<string, string>(
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
  return { queue, writes, written: () => writes.map(({ items }) => items.join('')) };
}

describe('BatchQueue', () => {
  it('a batch queue writes the first item at once, and those that arrive meanwhile as one batch', async () => {
    const { queue, writes, written } = startQueue({ maxBatchSize: 10 });
    const results = Promise.all([...'abc'].map((item) => queue.add(item)));
    assert.deepEqual(written(), ['a']);
    await writes[0]?.end();
    assert.deepEqual(written(), ['a', 'bc']);
    await writes[1]?.end();
    assert.deepEqual(await results, ['a!', 'b!', 'c!']);
    void queue.add('d');
    assert.deepEqual(written(), ['a', 'bc', 'd'], 'written immediately again when no other write is active');
  });
  it('a batch queue keeps to its batch size and its concurrency', async () => {
    const { queue, writes, written } = startQueue({ maxBatchSize: 2, concurrency: 2 });
    for (const item of 'abcdefg') void queue.add(item);
    assert.deepEqual(written(), ['a', 'b']);
    await writes[1]?.end();
    assert.deepEqual(written(), ['a', 'b', 'cd']);
    await writes[0]?.end();
    assert.deepEqual(written(), ['a', 'b', 'cd', 'ef']);
    await writes[2]?.end();
    assert.deepEqual(written(), ['a', 'b', 'cd', 'ef', 'g']);
  });
  it('a batch takes the oldest item of each owner in turn', async () => {
    const { queue, writes, written } = startQueue({ maxBatchSize: 4, ownerOf: (item) => item[0] ?? '' });
    for (const item of ['a0', 'a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void queue.add(item);
    await writes[0]?.end();
    await writes[1]?.end();
    assert.deepEqual(written(), ['a0', 'a1b1c1a2', 'b2a3a4']);
  });
  it('an owner rests after its batch while others are written, and its new items are one batch', async () => {
    const { queue, writes, written } = startQueue({
      maxBatchSize: 3,
      ownerOf: (item) => item[0] ?? '',
      oneOwnerPerBatch: true,
      restShare: 1_000_000, // the longest rest, however short the write
    });
    void queue.add('a1');
    await writes[0]?.end();
    for (const item of ['a2', 'b1', 'a3']) void queue.add(item);
    assert.deepEqual(written(), ['a1', 'b1']);
    await writes[1]?.end();
    assert.deepEqual(written(), ['a1', 'b1']);
    await until(() => writes.length === 3, 'the batch after the rest');
    assert.deepEqual(written(), ['a1', 'b1', 'a2a3']);
    await writes[2]?.end();
    for (const item of ['a4', 'a5', 'a6']) void queue.add(item);
    assert.deepEqual(written().slice(3), ['a4a5a6'], 'a full batch does not wait');
    await writes[3]?.end();
  });
  it('an owner rests after a batch that failed', async () => {
    const { queue, writes, written } = startQueue({ maxBatchSize: 3, ownerOf: () => 'a', oneOwnerPerBatch: true, restShare: 1_000_000 });
    const failure = assert.rejects(queue.add('a1'), /down/);
    await writes[0]?.end(new Error('down'));
    await failure;
    void queue.add('a2');
    assert.deepEqual(written(), ['a1']);
    await until(() => writes.length === 2, 'the batch after the rest');
    await writes[1]?.end();
  });
  it('a batch that cannot be written rejects all its items, and the next one is written', async () => {
    const { queue, writes, written } = startQueue({ maxBatchSize: 10 });
    void queue.add('a');
    const failed = Promise.allSettled([queue.add('b'), queue.add('c')]);
    await writes[0]?.end();
    await writes[1]?.end(new Error('lost'));
    assert.deepEqual(
      (await failed).map((outcome) => outcome.status === 'rejected' && outcome.reason.message),
      ['lost', 'lost'],
    );
    void queue.add('d');
    assert.deepEqual(written(), ['a', 'bc', 'd']);
  });
  it('a batch is written beside a slow write, and the concurrency counts again afterwards', async () => {
    const { queue, writes, written } = startQueue({ maxBatchSize: 10, slowAfterMs: 5 });
    for (const item of 'abc') void queue.add(item);
    assert.deepEqual(written(), ['a']);
    await until(() => writes.length === 2, 'the other items are written beside the slow write');
    assert.deepEqual(written(), ['a', 'bc']);
    await writes[0]?.end();
    await writes[1]?.end();
    for (const item of 'def') void queue.add(item);
    assert.deepEqual(written(), ['a', 'bc', 'd']);
  });
  it('an item that has waited too long is rejected', async () => {
    const { queue, writes, written } = startQueue({ maxBatchSize: 10, maxWaitMs: -1 });
    await assert.rejects(queue.add('a'), QueueTimeoutError);
    assert.deepEqual([written(), writes.length], [[], 0]);
  });
});
