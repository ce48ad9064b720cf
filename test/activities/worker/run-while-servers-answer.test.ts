import assert from 'node:assert/strict';
import { runWhileServersAnswer, type SupervisionDeps } from '../../../activities/worker/run-while-servers-answer.js';
import type { LeavableWorkers } from '../../../activities/worker/workers.js';
import { createLogger } from '../../../models/process/logger.js';
import { until } from '../../support/client.js';

const never = new Promise<void>(() => undefined);

/** Workers with polls that never end. */
const workers = (differences: Partial<LeavableWorkers> = {}): LeavableWorkers => ({
  done: never,
  stop: () => never,
  leave: () => never,
  refused: new AbortController().signal,
  isIdle: () => true,
  ...differences,
});

describe('runWhileServersAnswer', () => {
  const calls: string[] = [];
  const note = async (call: string) => void calls.push(call);
  let asked = 0;
  const deps: SupervisionDeps = {
    start: () => note('start').then(() => workers()),
    heartbeats: { silentMs: () => 0, rest: () => void note('rest'), resume: () => void note('resume') },
    databaseAnswers: async () => true,
    hasNamespace: async () => (asked += 1) > 2,
    logger: createLogger('worker', 'silent'),
  };

  it('workers that Temporal refuses end, others start once the namespace exists, and open polls do not keep them from stopping', async () => {
    const refusal = new AbortController();
    const former = workers({ refused: refusal.signal, stop: () => note('stop').then(() => never) });
    const running = runWhileServersAnswer(former, deps);
    refusal.abort(new Error('Namespace is not found'));
    await until(async () => calls.includes('resume'), 'others have started');
    assert.deepEqual([calls, asked], [['rest', 'stop', 'start', 'resume'], 3]);
    await running.stop();
  });

  it('workers that start while the process has to stop are waited for', async () => {
    const refusal = new AbortController();
    let [start, end] = [(_: LeavableWorkers) => undefined as void, () => undefined as void];
    const started = new Promise<LeavableWorkers>((resolve) => (start = resolve));
    const done = new Promise<void>((resolve) => (end = resolve));
    let isStarting = false;
    const starting = () => {
      isStarting = true;
      return started;
    };
    const former = workers({ refused: refusal.signal, done: Promise.resolve() });
    const running = runWhileServersAnswer(former, { ...deps, start: starting, hasNamespace: async () => true });
    refusal.abort(new Error('Namespace is not found'));
    await until(() => isStarting, 'others are starting');
    let isOver = false;
    const over = running.stop().then(() => (isOver = true));
    await new Promise(setImmediate);
    start(workers({ done, isIdle: () => false, stop: () => note('stop of the new ones') }));
    await until(() => calls.includes('stop of the new ones'), 'the new ones are told to stop');
    assert.equal(isOver, false);
    end();
    await over;
  });

  it('a worker ends with an error when Temporal refuses its credential', async () => {
    const refusal = new AbortController();
    const unauthorized = new Error('Request unauthorized');
    const running = runWhileServersAnswer(workers({ refused: refusal.signal }), {
      ...deps,
      hasNamespace: () => Promise.reject(unauthorized),
    });
    refusal.abort(unauthorized);
    await assert.rejects(running.done, unauthorized);
  });

  it('workers that failed without a reason end with one', async () => {
    const running = runWhileServersAnswer(workers({ done: new Promise((_, reject) => setImmediate(reject)) }), deps);
    await assert.rejects(running.done, /A Temporal worker failed without a reason/);
    await assert.rejects(running.stop(), /A Temporal worker failed without a reason/);
  });
});
