import assert from 'node:assert/strict';
import { createConcurrencyLimit } from '../../../models/flow/concurrency-limit.js';
import { until } from '../../support/client.js';

/** Work that ends when the test calls `end`. */
function startWork(limit: ReturnType<typeof createConcurrencyLimit>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const refused: string[] = [];
  const ask = (name: string, key?: string) =>
    void limit(() => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    }, key).catch(() => refused.push(name));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { begun, refused, ask, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('createConcurrencyLimit', () => {
  it('keys take turns at a concurrency limit', async () => {
    const { begun, ask, end } = startWork(createConcurrencyLimit({ max: 1 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask(name, 'a');
    for (const name of ['b1', 'b2']) ask(name, 'b');
    await settled();
    for (const name of ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']) await end(name);
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  });

  it('a key at its concurrency limit waits while work of other keys runs', async () => {
    const { begun, ask, end } = startWork(createConcurrencyLimit({ max: 3, maxPerKey: 1 }));
    for (const name of ['a1', 'a2']) ask(name, 'a');
    ask('b1', 'b');
    await settled();
    assert.deepEqual(begun, ['a1', 'b1']);
    await end('b1');
    assert.deepEqual(begun, ['a1', 'b1']);
    await end('a1');
    assert.deepEqual(begun, ['a1', 'b1', 'a2']);
  });

  it('a key rests after its work while others begin', async () => {
    const restMsAfter = () => 500;
    const { begun, ask, end } = startWork(createConcurrencyLimit({ max: 1, maxPerKey: 1, restMsAfter }));
    for (const name of ['a1', 'a2']) ask(name, 'a');
    ask('b1', 'b');
    await settled();
    await end('a1');
    assert.deepEqual(begun, ['a1', 'b1']);
    await end('b1');
    assert.deepEqual(begun, ['a1', 'b1']);
    await until(() => begun.length === 3, 'the rest ends');
    await end('a2');
  });

  it('the last waiter of the longest queue is rejected when too many wait', async () => {
    const { begun, refused, ask, end } = startWork(createConcurrencyLimit({ max: 1, maxWaiting: 3 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask(name, 'a');
    ask('b1', 'b');
    ask('a5', 'a');
    await settled();
    assert.deepEqual(refused.toSorted(), ['a4', 'a5']);
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3']);
  });

  it('work is rejected when too much of its key waits', async () => {
    const { refused, ask } = startWork(createConcurrencyLimit({ max: 1, maxWaitingPerKey: 1 }));
    for (const name of ['a1', 'a2', 'a3']) ask(name, 'a');
    ask('b1', 'b');
    await settled();
    assert.deepEqual(refused, ['a3']);
  });

  it('work that waited too long is rejected, and others get its place', async () => {
    const { begun, refused, ask, end } = startWork(createConcurrencyLimit({ max: 1, waitMsMax: 20 }));
    for (const name of ['a1', 'a2']) ask(name, 'a');
    await until(() => refused.length > 0, 'the wait is over');
    assert.deepEqual(refused, ['a2']);
    ask('a3', 'a');
    await end('a1');
    assert.deepEqual(begun, ['a1', 'a3']);
    assert.deepEqual(refused, ['a2']);
  });
});
