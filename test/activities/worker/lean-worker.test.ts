import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Context, Script } from 'node:vm';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { leanWorker } from '../../../activities/worker/lean-worker.js';
import { workflowBundlePath } from '../../../activities/worker/workers.js';
import { endReplays } from '../../support/temporal/end-replays.js';

const history = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../../test/histories/delivered.json'), 'utf8'));

/** How a worker of this kind calls workflow code: its time-outs, and the length of stack traces there. */
async function callsOf(kind: Pick<typeof Worker, 'runReplayHistory'>): Promise<{ timeouts: unknown[]; stackTraceLimit: unknown }> {
  const { runInContext } = Script.prototype;
  const timeouts = new Set<unknown>();
  let sandbox: Context | undefined;
  Script.prototype.runInContext = function (context, options) {
    sandbox = context;
    if (typeof options === 'object') timeouts.add(options.timeout);
    return runInContext.call(this, context, options);
  };
  try {
    await kind.runReplayHistory({ workflowBundle: { codePath: workflowBundlePath } }, history);
  } finally {
    Script.prototype.runInContext = runInContext;
  }
  assert.ok(sandbox, 'no workflow code was run');
  return { timeouts: [...timeouts], stackTraceLimit: new Script('Error.stackTraceLimit').runInContext(sandbox) };
}

describe('LeanWorker', () => {
  const staying = new AbortController().signal;
  const logged: string[] = [];
  before(() => {
    Runtime.install({ logger: new DefaultLogger('TRACE', ({ level }) => logged.push(level)) });
  });
  after(endReplays);

  it('workflow code is called without a time-out, where the worker of the SDK sets one for each call', async () => {
    assert.deepEqual((await callsOf(leanWorker(staying, Worker))).timeouts, [undefined]);
    const { timeouts } = await callsOf(Worker);
    assert.ok(
      timeouts.some((timeout) => typeof timeout === 'number'),
      String(timeouts),
    );
  });

  it('the SDK produces no log entries of level TRACE, which no log would keep', async () => {
    await callsOf(Worker);
    assert.ok(logged.includes('TRACE'));
    logged.length = 0;
    await callsOf(leanWorker(staying, Worker));
    assert.ok(logged.length > 0);
    assert.ok(!logged.includes('TRACE'));
  });

  it('workflow code has short stack traces', async () => {
    assert.equal((await callsOf(leanWorker(staying, Worker))).stackTraceLimit, 4);
  });
});
