import assert from 'node:assert/strict';
import { openSends } from '../../harness/load/open-sends.js';
import { createSender } from '../../harness/load/sender.js';
import { steadySends } from '../../harness/load/steady-sends.js';

const perSecond = 100;
const seconds = 0.5;
const stallMs = 250;

/** A service that stands still once, in the very first send, and the sending process with it; else it answers at once. */
function stalling() {
  const { post: _, ...others } = createSender('http://127.0.0.1:9', 'none');
  const call = async () => ({ status: 200, body: '' });
  const post = async (number: number) => {
    const until = performance.now() + (number === 0 ? stallMs : 0);
    while (performance.now() < until);
    return { status: 201, body: JSON.stringify({ data: { message: { id: `id-${number}` } } }) };
  };
  return { ...others, call, post };
}

describe('sends at a fixed rate', () => {
  it('sends at a fixed rate are measured from when they were due, and none is left out in a stall', async () => {
    const sends = await openSends(stalling(), seconds, perSecond);
    assert.deepEqual(
      sends.map(({ messageId }) => messageId),
      Array.from({ length: seconds * perSecond }, (_, number) => `id-${number}`),
    );
    for (const [number, { answeredMs }] of sends.entries()) {
      const minMs = stallMs - (number * 1000) / perSecond - 1; // a timer of Node.js may be early by less than that
      assert.ok(answeredMs >= minMs, `send ${number} was answered ${answeredMs} ms after it was due, not ${minMs}`);
    }
  });

  it('sends that keep a steady load leave out those that are too late', async () => {
    const { sends, skipped } = await steadySends(stalling(), seconds, perSecond);
    assert.equal(sends + skipped, seconds * perSecond);
    assert.ok(skipped >= 14, `${skipped} left out`);
  });
});
