import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Part } from '../../local/processes/part.js';
import { RunRecord } from '../../local/state/run-record.js';
import { until } from '../support/client.js';
import { Actor, type Exit } from './stage/actor.js';

/**
 * Has a child in a process group of its own, like PostgreSQL's backends. Both report repeatedly that they run. Exits with 3 on SIGTERM.
 * A report is renamed into place: a reader never sees an empty one, whose pid would be 0, the test run's own process group.
 */
const script = `
  import { spawn } from 'node:child_process';
  import { renameSync, writeFileSync } from 'node:fs';
  const [, program, folder, role = 'parent'] = process.argv;
  const report = folder + '/' + role;
  setInterval(() => {
    writeFileSync(report + '.new', process.pid + ' ' + Date.now());
    renameSync(report + '.new', report);
  }, 10);
  if (role === 'parent') {
    const child = spawn(process.execPath, [program, folder, 'child'], { detached: true, stdio: 'ignore' });
    process.once('SIGTERM', () => { child.kill('SIGKILL'); process.exit(3); });
    process.send({ ready: true });
  }
`;

describe('an actor of the battery', () => {
  let folder: string;
  let actor: Actor;
  let closing: AbortController;
  const exits: Exit[] = [];
  const lifeOf = (role: string): string => {
    try {
      return readFileSync(join(folder, role), 'utf8');
    } catch {
      return '';
    }
  };
  const untilAlive = async () => {
    const before = ['parent', 'child'].map(lifeOf);
    await until(() => lifeOf('parent') !== before[0] && lifeOf('child') !== before[1], 'both are alive');
  };
  /** The length of several of their reports. */
  const untilStill = (role: string) => {
    let [last, looks] = [lifeOf(role), 0];
    return until(() => {
      looks = lifeOf(role) === last ? looks + 1 : 0;
      last = lifeOf(role);
      return looks > 10;
    }, `${role} stands still`);
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-actor-'));
    const program = join(folder, 'program.mjs');
    writeFileSync(program, script);
    exits.length = 0;
    closing = new AbortController();
    const part: Part = {
      name: 'program',
      command: process.execPath,
      args: [program, folder],
      env: { PATH: process.env.PATH },
      log: join(folder, 'log'),
      stop: [{ signal: 'SIGTERM', waitMs: 1_000 }],
      ipc: true,
      readyTimeoutMs: 20_000,
      ready: ({ child }) => new Promise((resolve) => child.once('message', () => resolve())),
    };
    actor = new Actor('program', () => part, {
      record: new RunRecord(folder),
      closing: closing.signal,
      onExit: (exit) => exits.push(exit),
    });
    await actor.start();
    await untilAlive();
  });
  afterEach(async () => {
    await actor.kill(); // the child too
    closing.abort();
    await actor.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('an actor is killed with all its descendants, and stays down until it is started', async () => {
    const { pid } = actor;
    await actor.kill();
    await Promise.all(['parent', 'child'].map(untilStill));
    assert.deepEqual(exits, [{ pid, asked: 'SIGKILL', code: null, signal: 'SIGKILL' }]);
    await actor.start();
    await untilAlive();
  });

  it('an actor of the battery returns its exit code after SIGTERM', async () => {
    const { pid } = actor;
    await actor.terminate(10_000);
    assert.deepEqual(exits, [{ pid, asked: 'SIGTERM', code: 3, signal: null }]);
  });

  it('an actor is killed if it does not exit in time after SIGTERM', async () => {
    const { pid } = actor;
    actor.freeze();
    await actor.terminate(100);
    assert.deepEqual(exits, [{ pid, asked: 'SIGTERM', code: null, signal: 'SIGKILL' }]);
  });

  it('an actor of the battery stops with its descendants while it is frozen, and continues afterwards', async () => {
    actor.freeze();
    await Promise.all(['parent', 'child'].map(untilStill));
    actor.thaw();
    await untilAlive();
  });

  it('an actor is restarted if it ends by itself', async () => {
    const { pid } = actor;
    const [child] = lifeOf('child').split(' ');
    assert.ok(pid && Number(child)); // a signal to 0 would reach the whole test run
    process.kill(Number(child), 'SIGKILL');
    process.kill(pid, 'SIGKILL');
    await until(() => actor.pid !== undefined && actor.pid !== pid, 'another process');
    assert.deepEqual(exits, [{ pid, asked: null, code: null, signal: 'SIGKILL' }]);
    await untilAlive();
  });
});
