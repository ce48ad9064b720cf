import assert from 'node:assert/strict';
import { digestOf, unlessErased } from '../../../../models/rules/contacts/erasure.js';

const digest = digestOf(Buffer.alloc(32, 1), '+15551234567');

describe('an erased recipient', () => {
  it('an erased recipient is replaced by a digest that depends on the key, and stays the same in later versions', () => {
    assert.equal(digest, '#0969367c5c96449a06e3bbc162584d0d0586d52bbfa8d709d91aa82d4f50c719');
    assert.notEqual(digestOf(Buffer.alloc(32, 2), '+15551234567'), digest);
    assert.notEqual(digestOf(Buffer.alloc(32, 1), '+15551234568'), digest);
  });

  it('an erased recipient is shown as none, and others as they are', () => {
    assert.equal(unlessErased(digest), null);
    for (const recipient of ['+15551234567', 'a@b.co', digest.slice(1), `${digest}0`, `x${digest}`, digest.toUpperCase()])
      assert.equal(unlessErased(recipient), recipient);
  });
});
