import assert from 'node:assert/strict';
import { digestOf, keyedDigest, unlessErased } from '../../../../models/rules/contacts/erasure.js';

const digest = digestOf(Buffer.alloc(32, 1), '+15551234567');

describe('an erased recipient', () => {
  it('an erased recipient is replaced by a digest that depends on the key, and stays the same in later versions', () => {
    assert.equal(digest, '#0969367c5c96449a06e3bbc162584d0d0586d52bbfa8d709d91aa82d4f50c719');
    assert.notEqual(digestOf(Buffer.alloc(32, 2), '+15551234567'), digest);
    assert.notEqual(digestOf(Buffer.alloc(32, 1), '+15551234568'), digest);
  });

  it('the digest of a request is replaced by another one that depends on the key, and stays the same in later versions', () => {
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    assert.equal(keyedDigest(one, other).toString('hex'), '2334e5aad58e51160231c53e276901994acc481071482e3c3ff7688a0fb3f9aca5');
    assert.notDeepEqual(keyedDigest(other, other), keyedDigest(one, other));
  });

  it('an erased recipient is shown as none, and others as they are', () => {
    assert.equal(unlessErased(digest), null);
    for (const recipient of ['+15551234567', 'a@b.co', digest.slice(1), `${digest}0`, `x${digest}`, digest.toUpperCase()])
      assert.equal(unlessErased(recipient), recipient);
  });
});
