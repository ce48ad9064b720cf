import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setInterval } from 'node:timers/promises';
import { HangWatch } from '../../../activities/worker/hang-watch.js';

describe('HangWatch', () => {
  const never = () => new Promise<never>(() => undefined);

  it('work that does not end is reported repeatedly', async () => {
    const calls = new PassThrough();
    const watch = new HangWatch(() => calls.write('hung'), 5, 3);
    void watch.over(never);
    await once(calls, 'data');
    await once(calls, 'data');
    calls.end();
  });

  it('watched work returns its result or error, and is not reported after its end', async () => {
    let calls = 0;
    const watch = new HangWatch(() => (calls += 1), 1, 2);
    assert.equal(await watch.over(async () => 'done'), 'done');
    await assert.rejects(
      watch.over(() => Promise.reject(new Error('wrong'))),
      /wrong/,
    );
    // One sleep could end before the watch, which looks every millisecond, has looked twice.
    let ticks = 0;
    for await (const _ of setInterval(1)) if ((ticks += 1) === 20) break;
    assert.equal(calls, 0);
  });

  it('work that does not end is not reported while other work ends', async () => {
    let calls = 0;
    const watch = new HangWatch(() => (calls += 1), 5, 3);
    void watch.over(never);
    const until = performance.now() + 100;
    while (performance.now() < until) await watch.over(() => new Promise((resolve) => setImmediate(resolve)));
    assert.equal(calls, 0);
  });
});
