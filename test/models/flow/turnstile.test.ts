import assert from 'node:assert/strict';
import { createTurnstile } from '../../../models/flow/turnstile.js';

/** Pieces of work that end when they are told to. */
function workshop(turnstile: ReturnType<typeof createTurnstile>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const refused: string[] = [];
  const ask = (name: string, key?: string) =>
    void turnstile(() => {
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

describe('a turnstile', () => {
  it('lets keys take turns, whoever came first with how many', async () => {
    const { begun, ask, end } = workshop(createTurnstile({ most: 1 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask(name, 'a');
    for (const name of ['b1', 'b2']) ask(name, 'b');
    await settled();
    for (const name of ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']) await end(name);
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  });

  it('lets in no more of a key than it may have, and others beside it', async () => {
    const { begun, ask, end } = workshop(createTurnstile({ most: 3, mostOfKey: 1 }));
    for (const name of ['a1', 'a2']) ask(name, 'a');
    ask('b1', 'b');
    await settled();
    assert.deepEqual(begun, ['a1', 'b1']);
    await end('b1');
    assert.deepEqual(begun, ['a1', 'b1']);
    await end('a1');
    assert.deepEqual(begun, ['a1', 'b1', 'a2']);
  });

  it('where too many wait the last of whoever has most gives way', async () => {
    const { begun, refused, ask, end } = workshop(createTurnstile({ most: 1, waitingMax: 3 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask(name, 'a');
    ask('b1', 'b');
    ask('a5', 'a');
    await settled();
    assert.deepEqual(refused.toSorted(), ['a4', 'a5']);
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3']);
  });

  it('refuses a key that has too many waiting', async () => {
    const { refused, ask } = workshop(createTurnstile({ most: 1, waitingOfKeyMax: 1 }));
    for (const name of ['a1', 'a2', 'a3']) ask(name, 'a');
    ask('b1', 'b');
    await settled();
    assert.deepEqual(refused, ['a3']);
  });
});
