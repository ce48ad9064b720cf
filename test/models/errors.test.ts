import assert from 'node:assert/strict';
import { AppError } from '../../models/errors.js';

const frame = /\n {4}at /;

describe('an AppError', () => {
  it('has no stack of its own, and leaves those of its cause and of later errors', () => {
    const limit = Error.stackTraceLimit;
    const cause = new Error('the cause');
    const refusal = new AppError('conflict', 'Too late', { cause });
    assert.doesNotMatch(refusal.stack ?? '', frame);
    assert.match(cause.stack ?? '', frame);
    assert.match(new Error('later').stack ?? '', frame);
    assert.equal(Error.stackTraceLimit, limit);
  });
});
