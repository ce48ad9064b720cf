import assert from 'node:assert/strict';
import { quotaReached, usageTooLarge } from '../../models/conflicts.js';
import { AppError } from '../../models/errors.js';

const frame = /\n {4}at /;

describe('an AppError', () => {
  it('an AppError has no stack of its own, and leaves those of its cause and of later errors', () => {
    const limit = Error.stackTraceLimit;
    const cause = new Error('the cause');
    const refusal = new AppError('conflict', 'Too late', { cause });
    assert.doesNotMatch(refusal.stack ?? '', frame);
    assert.match(cause.stack ?? '', frame);
    assert.match(new Error('later').stack ?? '', frame);
    assert.equal(Error.stackTraceLimit, limit);
  });
});

describe('the text of a quota', () => {
  it('the text of a quota has the singular where one is allowed', () => {
    assert.deepEqual(
      [quotaReached('openBatches', 1), quotaReached('replays', 1), usageTooLarge(1), usageTooLarge(200_000)].map(({ message }) => message),
      [
        'A workspace can have at most 1 open batch',
        'A workspace can have at most 1 replay under way',
        'The period of a usage report can have at most 1 message',
        'The period of a usage report can have at most 200,000 messages',
      ],
    );
  });
});
