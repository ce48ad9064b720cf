import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerRecorder } from '../../../activities/handoff/answer-recorder.js';
import { callDeadline } from '../../../activities/handoff/call-deadline.js';
import { persist } from '../../../activities/support/persist.js';
import type { HandoffResult } from '../../../models/operations/handoff/record-handoffs.js';
import { until } from '../../support/client.js';
import { silentLogger as logger } from '../../support/carriers/stub-provider.js';

const answerOf = (id: string): HandoffResult => ({ id, attempt: 1, provider: 'stub', outcome: 'accepted', provider_message_id: `p-${id}` });

describe('persist', () => {
  it('a write is repeated until it succeeds', async () => {
    let tries = 0;
    await persist(
      'record answers',
      async () => {
        tries += 1;
        if (tries < 4) throw new Error('deadlock detected');
      },
      { logger },
    );
    assert.equal(tries, 4);
  });

  it('a write that fails again and again is logged once', async () => {
    const lines: unknown[] = [];
    const warn = ({ what }: { what?: string }, line: string) => void lines.push([line, what]);
    const counting = Object.assign(Object.create(logger), { warn });
    await assert.rejects(
      persist('record answers', () => Promise.reject(new Error('connection refused')), { logger: counting, persistMs: 500 }),
      /connection refused/,
    );
    assert.deepEqual(lines, [['a database write failed; repeating it', 'record answers']]);
  });

  it('the last error of a write is thrown after the time limit', async () => {
    let tries = 0;
    const write = async () => {
      tries += 1;
      throw new Error(`try ${tries}`);
    };
    await assert.rejects(persist('record answers', write, { logger, persistMs: 250 }), /try [2-9]/);
  });
});

describe('AnswerRecorder', () => {
  it('answers that arrive together are written in one statement', async () => {
    const writes: string[][] = [];
    const recorder = new AnswerRecorder(async (answers) => void writes.push(answers.map(({ id }) => id)));
    recorder.add(answerOf('one'));
    recorder.add(answerOf('two'));
    await recorder.end();
    assert.deepEqual(writes, [['one', 'two']]);
  });

  it('an answer is written soon, and does not wait for the end of the round', async () => {
    const writes: string[][] = [];
    const recorder = new AnswerRecorder(async (answers) => void writes.push(answers.map(({ id }) => id)));
    recorder.add(answerOf('one'));
    await until(() => writes.length > 0, 'the answer is written');
    assert.deepEqual(writes, [['one']]);
    recorder.add(answerOf('two'));
    await recorder.end();
    assert.deepEqual(writes, [['one'], ['two']]);
  });

  it('the error of a write is thrown after the other writes have ended', async () => {
    let ended = 0;
    const recorder = new AnswerRecorder(async ([answer]) => {
      await sleep(answer?.id === 'slow' ? 100 : 1);
      ended += 1;
      if (answer?.id === 'bad') throw new Error('gone');
    });
    recorder.add(answerOf('slow'));
    await until(() => ended > 0, 'the first write has ended');
    recorder.add(answerOf('bad'));
    await assert.rejects(recorder.end(), /gone/);
    assert.equal(ended, 2);
  });
});

describe('callDeadline', () => {
  it('a call is aborted after its time limit', async () => {
    const { signal, clear } = callDeadline(50);
    await until(() => signal.aborted, 'the call is aborted');
    clear();
  });

  it('a process that was stopped has time to read the answer to its call', async () => {
    const { signal, clear } = callDeadline(50);
    const resumeAt = performance.now() + 700;
    while (performance.now() < resumeAt); // as SIGSTOP does, this keeps all timers from running
    await sleep(100);
    assert.ok(!signal.aborted);
    clear();
  });
});
