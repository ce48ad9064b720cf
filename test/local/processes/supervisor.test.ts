import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Part } from '../../../local/processes/part.js';
import { identify, isAlive } from '../../../local/processes/process-identity.js';
import { RunRecord, type RunningProcess } from '../../../local/state/run-record.js';
import { StartError } from '../../../local/output/start-error.js';
import { readState } from '../../../local/state/state-file.js';
import { Supervisor } from '../../../local/processes/supervisor.js';
import { until } from '../../support/client.js';
import { obedient, recordingOutput, scriptPart, stubborn, temporaryFolder } from './stand-in.js';

const never = new AbortController().signal;

describe('supervisor', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let shown: ReturnType<typeof recordingOutput>;
  let supervisor: Supervisor | undefined;
  beforeEach(() => {
    folder = temporaryFolder();
    shown = recordingOutput();
  });
  afterEach(async () => {
    await supervisor?.stop();
    folder.remove();
  });

  const recorded = () => readState<{ processes: RunningProcess[] }>(join(folder.path, 'run.json'))?.processes ?? [];
  function supervise(javaScript: string, overrides: Partial<Part> = {}): Supervisor {
    supervisor = new Supervisor(scriptPart(folder.path, 'part', javaScript, overrides), new RunRecord(folder.path), shown.output);
    return supervisor;
  }

  it('a part that is stopped is not started again', async () => {
    await supervise(obedient).start(never);
    const [running] = recorded();
    assert.ok(running !== undefined && isAlive(running));
    await supervisor?.stop();
    assert.ok(!isAlive(running));
    assert.deepEqual([recorded(), shown.lines], [[], []]);
  });

  it('a part that ends is started again, after a longer pause each time', async () => {
    await supervise(obedient).start(never);
    for (const pause of ['0.5 s', '1 s']) {
      process.kill(recorded()[0]?.pid as number, 'SIGKILL');
      await until(() => shown.lines.some((line) => line.includes('is back')), 'the part is back');
      const [ended, again, back] = shown.lines.splice(0);
      assert.deepEqual([ended, again], ['✗ part ended (SIGKILL)', `– part restarts in ${pause}`]);
      assert.match(back as string, /^✓ part is back \(\d\.\d s\)$/);
      assert.equal(recorded().length, 1);
    }
  });

  it('a part that does not start again is tried until it starts', async () => {
    const marker = join(folder.path, 'once');
    // Works the first and the third time.
    const script = `const fs = require('node:fs'); const count = fs.existsSync('${marker}') ? Number(fs.readFileSync('${marker}')) : 0;
      fs.writeFileSync('${marker}', String(count + 1)); if (count === 1) { console.error('not today'); process.exit(7); } ${obedient}`;
    await supervise(script).start(never);
    process.kill(recorded()[0]?.pid as number, 'SIGKILL');
    await until(() => shown.lines.some((line) => line.includes('is back')), 'the part is back');
    assert.match(shown.lines[2] as string, /^✗ part ended during its start \(exit code 7\); the end of .*part\.log:\n {4}not today$/);
  });

  it('the supervisor keeps running when the disk is full, and leaves no unrecorded process', async () => {
    const pids = join(folder.path, 'pids');
    await supervise(`require('node:fs').appendFileSync('${pids}', process.pid + ' '); ${obedient}`).start(never);
    const full = join(folder.path, `run.json.${process.pid}.new`); // the record is written to this file first
    mkdirSync(full);
    process.kill(recorded()[0]?.pid as number, 'SIGKILL');
    await until(() => shown.lines.filter((line) => line.startsWith('✗ part cannot be recorded: ')).length === 2, 'two records fail');
    rmdirSync(full);
    await until(() => shown.lines.some((line) => line.includes('is back')), 'the part is back');
    const [present] = recorded();
    const started = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
    assert.deepEqual(
      started.filter((pid) => identify(pid) !== undefined),
      [present?.pid],
    );
  });

  it('a part that did not start is reported with its reason, and leaves nothing running', async () => {
    await assert.rejects(supervise(`console.error('no such thing'); process.exit(3)`).start(never), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, /^part ended during its start \(exit code 3\); the end of .*:\n {4}no such thing$/);
      return true;
    });
    await assert.rejects(supervise(obedient, { command: '/no/such/program' }).start(never), /part cannot be started: .*ENOENT/);
    assert.deepEqual(recorded(), []);
  });

  it('a part that is never ready is given up', async () => {
    const start = supervise(stubborn, { readyTimeoutMs: 200, ready: () => new Promise(() => undefined) }).start(never);
    await assert.rejects(start, /part was not ready within 0\.2 s[.;]/);
    const ready: Part['ready'] = (_running, _signal, notYet) => new Promise(() => notYet(new Error('not let in')));
    await assert.rejects(
      supervise(stubborn, { readyTimeoutMs: 200, ready }).start(never),
      /part was not ready within 0\.2 s \(not let in\)/,
    );
    assert.deepEqual(recorded(), []);
  });

  it('a start that is cancelled is given up', async () => {
    const cancel = new AbortController();
    const start = supervise(obedient, { ready: () => new Promise(() => undefined) }).start(cancel.signal);
    const rejection = assert.rejects(start, /The operation was aborted/);
    await until(() => recorded().length === 1, 'the part is recorded');
    const [running] = recorded();
    cancel.abort();
    await rejection;
    assert.ok(running !== undefined && !isAlive(running));
  });

  it('the supervisor stops while it waits to start a part again, and while it starts it', async () => {
    await supervise(obedient).start(never);
    process.kill(recorded()[0]?.pid as number, 'SIGKILL');
    await until(() => shown.lines.length === 2, 'two lines are shown');
    await supervisor?.stop();
    assert.deepEqual(recorded(), []);

    let starts = 0;
    const ready = () => (starts++ === 0 ? Promise.resolve() : new Promise<void>(() => undefined));
    await supervise(obedient, { ready }).start(never);
    process.kill(recorded()[0]?.pid as number, 'SIGKILL');
    await until(() => starts === 2, 'the second start');
    await supervisor?.stop();
    assert.deepEqual(recorded(), []);
  });
});
