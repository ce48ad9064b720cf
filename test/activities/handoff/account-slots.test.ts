import assert from 'node:assert/strict';
import { AccountSlots } from '../../../activities/handoff/account-slots.js';

describe('the slots of a slow account', () => {
  const max = 4;
  let groups = 0;
  const groupOf = (owner: string) => ({ groupId: `group ${++groups}`, owner });

  /** An account with one slow call that has ended, and `take`: takes a slot. */
  const slowAccount = (waitingMs = 60_000) => {
    const slots = new AccountSlots({ max, slowMs: 0, waitingMs });
    const end = slots.beginCall(groupOf('x'));
    const begunAt = performance.now();
    while (performance.now() === begunAt);
    end();
    return { slots, take: (owner: string) => slots.hold(groupOf(owner)) };
  };

  it('a workspace can have all slots of a slow account while nobody else waits', () => {
    const { slots, take } = slowAccount();
    for (let count = 0; count < max; count += 1) {
      assert.equal(slots.isFullFor('a'), false);
      take('a');
    }
    assert.equal(slots.isFullFor('a'), true);
    assert.equal(slots.isFullFor('b'), true);
  });

  it('a workspace leaves as many free slots as groups of a workspace with fewer slots wait', () => {
    const { slots, take } = slowAccount();
    slots.wait(groupOf('b'));
    const free = Array.from({ length: max }, () => {
      const isFull = slots.isFullFor('a');
      if (!isFull) take('a');
      return isFull;
    });
    assert.deepEqual(free, [false, false, false, true]);
    assert.equal(slots.isFullFor('b'), false);
  });

  it('a workspace leaves no more slots than it has more of', () => {
    const { slots, take } = slowAccount();
    for (let count = 0; count < 3; count += 1) slots.wait(groupOf('b'));
    take('a');
    take('b');
    assert.equal(slots.isFullFor('a'), false, 'b had its slot later, and both have one');
    take('a');
    assert.equal(slots.isFullFor('a'), true);
  });

  it('of workspaces with the same number of slots, the one whose last slot is longest ago is next', () => {
    const { slots, take } = slowAccount();
    const owners = ['a', 'b', 'c'];
    for (const owner of owners) slots.wait(groupOf(owner));
    const leave = [...owners, 'a'].map(take);
    leave[0]?.();
    assert.deepEqual(
      owners.map((owner) => slots.isFullFor(owner)),
      [true, false, true],
    );
    assert.equal(slots.isFullFor('new'), false);
  });

  it('a group that does not come again keeps no slot free after its time', () => {
    const { slots, take } = slowAccount(-1);
    slots.wait(groupOf('b'));
    for (let count = 1; count < max; count += 1) take('a');
    assert.equal(slots.isFullFor('a'), false);
  });

  it('a group that waits no longer keeps no slot free', () => {
    const { slots, take } = slowAccount();
    const other = groupOf('b');
    slots.wait(other);
    for (let count = 1; count < max; count += 1) take('a');
    assert.equal(slots.isFullFor('a'), true);
    slots.endWait(other);
    assert.equal(slots.isFullFor('a'), false);
  });

  it('an account is not slow because a slot without calls is held for it', () => {
    const slots = new AccountSlots({ max, slowMs: -1, waitingMs: 0 });
    const leave = Array.from({ length: max }, () => slots.hold(groupOf('a')));
    assert.deepEqual([slots.isSlow, slots.holders({ calling: true }).size], [false, 0]);
    for (const one of leave) one();
    assert.deepEqual([slots.isSlow, slots.holders().size], [false, 0]);
  });
});
