import assert from 'node:assert/strict';
import { restWhileSending } from '../../../models/flow/rest-while-sending.js';

describe('the rest after costly work', () => {
  const rest = { usualMs: 3, share: 8, msMax: 2_000, heavyUseMs: 1_000 };

  it('the rest after costly work is a multiple of the time above the usual time, while messages are sent', () => {
    const sends = { isRecent: true };
    const restOf = restWhileSending(sends, rest);
    assert.deepEqual([restOf(3, 'one'), restOf(13, 'one'), restOf(900, 'two')], [0, 80, 2_000]);
    sends.isRecent = false;
    assert.equal(restOf(13, 'one'), 0);
  });

  it('the rest is three times as long for a workspace with a second of recent work, and for no other', () => {
    let now = 0;
    const restOf = restWhileSending({ isRecent: true }, rest, () => now);
    for (let count = 0; count < 100; count += 1) assert.equal(restOf(13, 'busy'), 80);
    assert.deepEqual([restOf(13, 'busy'), restOf(13, 'other')], [240, 80]);
    now = 20_000; // half of it counts now
    assert.equal(restOf(13, 'busy'), 80);
  });
});
