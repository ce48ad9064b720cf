import assert from 'node:assert/strict';
import fc from 'fast-check';
import { groupBy } from '../../../../models/rules/values/group-by.js';

describe('groupBy', () => {
  it('groups keep every item once under its key, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.nat())), (items) => {
        const groups = groupBy(items, ([key]) => key);
        assert.deepEqual([...groups.keys()], [...new Set(items.map(([key]) => key))]);
        for (const [key, group] of groups)
          assert.deepEqual(
            group,
            items.filter((item) => item[0] === key),
          );
      }),
    );
  });

  it('no group is made without items', () => {
    assert.equal(groupBy([], () => 1).size, 0);
  });
});
