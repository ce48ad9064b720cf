import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isAlive } from '../../local/processes/process-identity.js';
import { processesOf } from '../local/service.js';
import { until } from '../support/client.js';

const dist = resolve(import.meta.dirname, '../..');
const mocha = resolve(dist, '../node_modules/mocha/bin/mocha.js');

describe('a test run that is killed', () => {
  let folder: string;
  let run: ChildProcess | undefined;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tidings-killed-run-'))));
  afterEach(async () => {
    run?.kill('SIGKILL');
    for (const { pid } of servers()) process.kill(-pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  /** Of all run records in the temporary folder of the run. */
  const servers = () => readdirSync(folder).flatMap((name) => processesOf(join(folder, name)));

  /** Runs mocha as `npm test` does, and resolves when all servers run. */
  async function startRun(...options: string[]): Promise<ChildProcess> {
    const env = { ...process.env, TMPDIR: folder, HANGING_FILE: join(folder, 'hangs') };
    const spec = join(dist, 'test/harness/hanging-run.js');
    const started = spawn(process.execPath, [mocha, '--enable-source-maps', ...options, spec], { env, stdio: 'ignore' });
    await until(() => {
      assert.ok(started.exitCode === null && started.signalCode === null, 'the run ended at its start');
      return existsSync(env.HANGING_FILE);
    }, 'the servers run');
    return started;
  }

  for (const [signal, ...options] of [['SIGINT'], ['SIGTERM', '--no-parallel']] as const) {
    it(`a test run that is killed leaves no server behind after ${[signal, ...options].join(' with ')}`, async () => {
      run = await startRun(...options);
      const before = servers();
      const names = new Set(before.map(({ name }) => name));
      assert.ok(names.has('PostgreSQL') && names.has('Temporal') && names.has('Redis') === (process.env.TEST_REDIS !== undefined));
      const ended = once(run, 'exit');
      run.kill(signal);
      await ended;
      await until(() => !before.some(isAlive), 'all servers have ended');
      await until(() => !readdirSync(folder).some((name) => /^tidings-(test|redis)-/.test(name)), 'their folders are removed');
    });
  }
});
