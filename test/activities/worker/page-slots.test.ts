import assert from 'node:assert/strict';
import { PageSlots } from '../../../activities/worker/page-slots.js';
import { until } from '../../support/client.js';

describe('the slots of pages', () => {
  const context = { slotType: 'activity', taskQueue: 'bulk', workerIdentity: '', workerBuildId: '', isSticky: false } as const;
  const none = new AbortController().signal;

  /** Eight taken slots, and polls that wait for further ones. */
  const full = async () => {
    const counts = { slow: 0, granted: 0 };
    const slots = new PageSlots(() => counts.slow);
    const take = async (signal = none) => {
      await slots.reserveSlot(context, signal);
      counts.granted += 1;
    };
    for (let slot = 0; slot < 8; slot += 1) await take();
    return { slots, counts, take };
  };

  it('a poll waits while eight pages run, until one of them has ended', async () => {
    const { slots, counts, take } = await full();
    const waiting = take();
    assert.deepEqual([slots.tryReserveSlot(), counts.granted], [null, 8]);
    slots.releaseSlot();
    await waiting;
    assert.equal(slots.tryReserveSlot(), null);
  });

  it('each page at a slow carrier frees a slot for another page, four at most', async () => {
    const { slots, counts, take } = await full();
    const polls = Array.from({ length: 6 }, () => take());
    counts.slow = 2;
    await until(() => counts.granted === 10, 'two further pages run');
    counts.slow = 8;
    await until(() => counts.granted === 12, 'four further pages run');
    counts.slow = 0;
    for (let ended = 0; ended < 4; ended += 1) slots.releaseSlot();
    assert.equal(slots.tryReserveSlot(), null, 'eight still run');
    assert.equal(counts.granted, 12);
    slots.releaseSlot();
    slots.releaseSlot();
    await Promise.all(polls);
  });

  it('a poll that is aborted before, during or after its wait takes no slot', async () => {
    const { slots, take } = await full();
    await assert.rejects(take(AbortSignal.abort()), { name: 'AbortError' });
    const [during, after] = [new AbortController(), new AbortController()];
    const aborted = assert.rejects(take(during.signal), { name: 'AbortError' });
    during.abort();
    await aborted;
    const granted = take(after.signal);
    slots.releaseSlot();
    await granted;
    const next = take();
    after.abort();
    await next;
    assert.equal(slots.tryReserveSlot(), null);
  });
});
