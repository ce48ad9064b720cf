import assert from 'node:assert/strict';
import { once, EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withDeadline } from '../../../local/processes/deadline.js';

const never = () => new AbortController().signal;
const waitForever = (signal: AbortSignal) => once(new EventEmitter(), 'nothing', { signal });
const causeIs = (name: string) => (error: Error) => (error.cause as Error).name === name;

describe('deadline', () => {
  it('work that is done within its deadline returns its result', async () => {
    assert.equal(await withDeadline(never(), 10_000, async () => 7), 7);
  });

  it('work beyond its deadline is ended, also when garbage was collected meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const timer = setInterval(collect, 20);
    await assert.rejects(withDeadline(never(), 300, waitForever), causeIs('TimeoutError')).finally(() => clearInterval(timer));
  });

  it('work that is cancelled is ended, before it begins or in the middle', async () => {
    await assert.rejects(withDeadline(AbortSignal.abort(), 10_000, waitForever), causeIs('AbortError'));
    const parent = new AbortController();
    const ended = assert.rejects(withDeadline(parent.signal, 10_000, waitForever), causeIs('AbortError'));
    await sleep(0);
    parent.abort();
    await ended;
  });
});
