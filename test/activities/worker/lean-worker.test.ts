import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Context, Script } from 'node:vm';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { leanWorker } from '../../../activities/worker/lean-worker.js';
import { workflowBundlePath } from '../../../activities/worker/workers.js';
import { endReplays } from '../../support/temporal/end-replays.js';

const history = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../../test/histories/delivered.json'), 'utf8'));

interface Calls {
  timeouts: unknown[];
  /** The length of stack traces in workflow code. */
  stackTraceLimit: unknown;
}

/** How a worker of this kind calls workflow code. */
async function callsOf(kind: Pick<typeof Worker, 'runReplayHistory'>): Promise<Calls> {
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
  let ofSdk: Calls & { logged: string[] };
  let lean: typeof ofSdk;
  before(async () => {
    let logged: string[] = [];
    Runtime.install({ logger: new DefaultLogger('TRACE', ({ level }) => logged.push(level)) });
    ofSdk = { ...(await callsOf(Worker)), logged };
    logged = [];
    lean = { ...(await callsOf(leanWorker(new AbortController().signal, Worker))), logged };
  });
  after(endReplays);

  it('workflow code is called without a timeout, where the worker of the SDK sets one for each call', () => {
    assert.deepEqual(lean.timeouts, [undefined]);
    assert.ok(
      ofSdk.timeouts.some((timeout) => typeof timeout === 'number'),
      String(ofSdk.timeouts),
    );
  });

  it('the SDK produces no log entries of level TRACE, which no log would keep', () => {
    assert.ok(ofSdk.logged.includes('TRACE'));
    assert.ok(lean.logged.length > 0);
    assert.ok(!lean.logged.includes('TRACE'));
  });

  it('workflow code has short stack traces', () => {
    assert.equal(lean.stackTraceLimit, 4);
  });
});
