import assert from 'node:assert/strict';
import { MessageChannel } from 'node:worker_threads';
import { type Port, ThreadCalls } from '../../../api/bulk-thread/thread-calls.js';
import { AppError, internal, invalid } from '../../../models/errors.js';

describe('calls between threads', () => {
  const { port1, port2 } = new MessageChannel();
  const theirs = {
    double: async (number: number) => 2 * number,
    refuse: () => Promise.reject(invalid([{ field: 'to', message: 'Missing required field: to' }])),
    fail: () => Promise.reject(internal(new TypeError('what happened'), 7)),
    stumble: () => Promise.reject(new TypeError('no function')),
    back: async (number: number): Promise<number> => ours.call('half', number),
  };
  const ours = new ThreadCalls<{ half(number: number): Promise<number> }>(port2 as Port, theirs);
  const calls = new ThreadCalls<typeof theirs>(port1 as Port, { half: async (number: number) => number / 2 });
  after(() => port1.close());

  it('each call between threads gets its own answer, whatever the order', async () => {
    assert.deepEqual(await Promise.all([1, 2, 3].map((number) => calls.call('double', number))), [2, 4, 6]);
  });
  it('two threads can call each other', async () => {
    assert.equal(await calls.call('back', 8), 4);
  });
  it('a refusal of another thread has the same code and text', async () => {
    const error = await calls.call('refuse', undefined as never).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError);
    const [{ stack: _one, ...one }, { stack: _other, ...other }] = [
      error,
      invalid([{ field: 'to', message: 'Missing required field: to' }]),
    ];
    assert.deepEqual(one, other);
  });
  it('a refusal of another thread keeps its headers, and its cause for the log', async () => {
    const error = await calls.call('fail', undefined as never).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError && error.cause instanceof TypeError);
    assert.deepEqual([error.code, error.retryAfterSeconds, error.cause.message], ['internal_error', 7, 'what happened']);
  });
  it('an error of another thread keeps its message and the stack of where it happened', async () => {
    await assert.rejects(calls.call('stumble', undefined as never), (error: TypeError) =>
      /no function[^]*thread-calls/.test(error.stack ?? ''),
    );
  });
});
