import assert from 'node:assert/strict';
import { validate, version } from 'uuid';
import { makeId } from '../../../../models/rules/values/make-id.js';
import { highestId, idAfter, idBefore, lowestId } from '../../../../models/rules/values/id-time.js';
import { assertAbout } from '../../../support/measure/times.js';

describe('makeId', () => {
  const realNow = Date.now;
  afterEach(() => {
    Date.now = realNow;
  });

  it('an id is a UUID of version 7 that begins with the time', () => {
    const now = new Date();
    for (const id of Array.from({ length: 1_000 }, makeId)) {
      assert.ok(validate(id));
      assert.equal(version(id), 7);
      assert.ok(id > idBefore(now) && id < idAfter(now));
      assertAbout(Number.parseInt(id.replace('-', '').slice(0, 12), 16), now.getTime());
    }
  });

  it('an id is greater than the one before, also when the clock is set back by less than a minute', () => {
    const before = Array.from({ length: 20_000 }, makeId);
    Date.now = () => realNow() - 50_000;
    const ids = [...before, ...Array.from({ length: 20_000 }, makeId)];
    for (const [index, id] of ids.entries()) assert.ok(index === 0 || id > (ids[index - 1] as string), `${ids[index - 1]} ${id}`);
  });

  it('an id has the time of the clock after the clock was ahead, so that the lists of a period show its row', () => {
    Date.now = () => realNow() + 3_600_000;
    makeId();
    Date.now = realNow;
    const [now, ids] = [new Date(), Array.from({ length: 1_000 }, makeId)];
    assert.ok(ids.every((id) => id > idBefore(now) && id < idAfter(now)));
    assert.deepEqual(ids, ids.toSorted());
  });

  it('ids share no random bits', () => {
    const tails = Array.from({ length: 5_000 }, () => makeId().slice(-12));
    assert.equal(new Set(tails).size, tails.length);
  });
});

describe('the ids of a period', () => {
  it('the ids of a period begin a minute before its first moment and end ten minutes after its last', () => {
    const at = new Date(0x0190a5a80000);
    assert.equal(idBefore(at), `0190a5a7-${(0x10000 - 60_000).toString(16).padStart(4, '0')}-7000-8000-000000000000`);
    assert.equal(idAfter(at), `0190a5b1-${(600_000 % 0x10000).toString(16).padStart(4, '0')}-7000-8000-000000000000`);
  });

  it('the ids of a period stay ids for times that no id has', () => {
    assert.equal(idBefore(new Date(0)), '00000000-0000-7000-8000-000000000000');
    assert.equal(idAfter(new Date(8.64e15)), 'ffffffff-ffff-7000-8000-000000000000');
    for (const id of [idBefore(new Date(0)), makeId(), idAfter(new Date(8.64e15))]) assert.ok(lowestId < id && id < highestId);
    for (const id of [lowestId, highestId]) assert.ok(validate(id));
  });
});
