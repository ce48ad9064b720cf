import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Launch, startPart, together } from '../../../local/processes/launch.js';
import { Launcher, type Steps } from '../../../local/processes/launcher.js';
import { readPlan } from '../../../local/plan/plan.js';
import { isAlive } from '../../../local/processes/process-identity.js';
import type { RunningProcess } from '../../../local/state/run-record.js';
import { StartError } from '../../../local/output/start-error.js';
import { readState } from '../../../local/state/state-file.js';
import { until } from '../../support/client.js';
import { obedient, recordingOutput, scriptPart, stubborn, temporaryFolder } from './stand-in.js';

describe('launcher', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let shown: ReturnType<typeof recordingOutput>;
  const launchers: Launcher[] = [];
  beforeEach(() => {
    folder = temporaryFolder();
    shown = recordingOutput();
  });
  afterEach(async () => {
    for (const launcher of launchers.splice(0)) await launcher.stop();
    folder.remove();
  });

  function launcherOf(steps: Steps, env: NodeJS.ProcessEnv = { PORT: '0' }): Launcher {
    const launcher = new Launcher(readPlan({ ...env, DATA_DIR: folder.path }), shown.output, steps);
    launchers.push(launcher);
    return launcher;
  }
  const start = (launch: Launch, name: string, script = obedient) => startPart(launch, scriptPart(folder.path, name, script));
  const recorded = () => readState<{ processes: RunningProcess[] }>(join(folder.path, 'run.json'))?.processes ?? [];
  const whole: Steps = async (launch) => {
    for (const name of ['PostgreSQL', 'Temporal', 'worker', 'API']) await start(launch, name);
  };

  it('the launcher stops the API first and the servers last', async () => {
    const launcher = launcherOf(whole);
    await launcher.start();
    const processes = recorded();
    assert.equal(processes.length, 4);
    await launcher.stop();
    const stopped = shown.lines.map((line) => /^✓ (\w+) stopped \(/.exec(line)?.[1]);
    assert.deepEqual(stopped, ['API', 'worker', 'Temporal', 'PostgreSQL']);
    assert.ok(!processes.some(isAlive));
    assert.ok(!readdirSync(folder.path).some((name) => ['lock.json', 'run.json'].includes(name)));
  });

  it('a launcher refuses the folder of another one that runs', async () => {
    await launcherOf(whole).start();
    const second = launcherOf(whole);
    await assert.rejects(second.start(), (error) => error instanceof StartError && error.message.startsWith('Tidings already runs on '));
    await second.stop();
    assert.equal(recorded().filter(isAlive).length, 4);
  });

  it('a launcher refuses a busy port before it starts anything', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const launcher = launcherOf(() => assert.fail(), { PORT: String(port) });
    await assert.rejects(launcher.start(), { name: 'StartError', message: new RegExp(`^Port ${port} `) });
    server.close();
  });

  it('a launcher stops all parts when one does not start', async () => {
    const launcher = launcherOf(async (launch, _port, giveUp) => {
      await start(launch, 'PostgreSQL');
      const hanging = scriptPart(folder.path, 'worker', stubborn, { ready: () => new Promise(() => undefined) });
      await together([startPart(launch, hanging), start(launch, 'API', 'process.exit(1)')], giveUp);
    });
    await assert.rejects(launcher.start(), /API ended during its start/);
    await launcher.stop();
    assert.deepEqual(recorded(), []);
  });

  it('the launcher can be stopped during a start or a build', async () => {
    const launcher = launcherOf(async (launch) => {
      await start(launch, 'PostgreSQL');
      await launch.run({ ...scriptPart(folder.path, 'build', stubborn), stop: [] });
    });
    const starting = assert.rejects(launcher.start(), { name: 'AbortError' });
    await until(() => recorded().length === 2, 'both parts are recorded');
    const processes = recorded();
    await launcher.stop();
    await starting;
    assert.ok(!processes.some(isAlive));
  });

  it('a launcher that is killed ends all its processes at once', async () => {
    const launcher = launcherOf(async (launch) => {
      for (const name of ['PostgreSQL', 'API']) await start(launch, name, stubborn);
    });
    await launcher.start();
    const processes = recorded();
    launcher.kill();
    await until(() => !processes.some(isAlive), 'all processes have ended');
    assert.ok(!readdirSync(folder.path).includes('lock.json'));
  });
});
