import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isAlive } from '../../local/processes/process-identity.js';
import { exitCodeOf, killAll, processesOf, spawnEntryPoint, type StartedService, startEntryPoint } from './service.js';
import { until } from '../support/client.js';
import { temporaryFolder } from './processes/stand-in.js';

/** One signup, so that the second demo meets the limit; as many requests as it takes to wait. */
const limits = { RATE_LIMIT_AUTH: '1/900', RATE_LIMIT_API: '100000/60' };

/** What is meant for other servers than the embedded ones, and would make them unreachable. */
const foreign = {
  PGSSLMODE: 'require',
  PGOPTIONS: '-c nothing=1',
  TEMPORAL_API_KEY: 'key',
  http_proxy: 'http://127.0.0.1:1',
  https_proxy: 'http://127.0.0.1:1',
};

describe('npm start', () => {
  const folder = temporaryFolder();
  const dataDir = folder.path;
  let service: StartedService | undefined;
  after(async () => {
    await killAll();
    folder.remove();
  });

  const running = () => service ?? assert.fail('the service does not run');
  const pidOf = (name: string) => processesOf(dataDir).find((one) => one.name === name)?.pid;
  const api = () => running().find(/API +(http\S+)/);
  const apiKey = () => running().find(/X-API-Key: (\w+)/);
  async function messages(): Promise<{ id: string; status: string }[]> {
    const response = await fetch(`${api()}/api/v1/messages`, { headers: { 'x-api-key': apiKey() } });
    const { data } = (await response.json()) as { data: { messages: { id: string; status: string }[] } };
    return data.messages;
  }
  /** What a user does: paste the printed command. */
  async function paste(): Promise<{ id: string }> {
    const { stdout } = await promisify(execFile)('sh', ['-c', running().find(/^ +(curl .*)$/m)]);
    const { data } = JSON.parse(stdout) as { data: { message: { id: string } } };
    return data.message;
  }
  async function untilDelivered(id: string): Promise<void> {
    await until(async () => (await messages()).find((message) => message.id === id)?.status === 'delivered', `${id} is delivered`);
  }

  it('npm start starts everything whatever the environment says, and prints a curl command that works', async () => {
    service = await startEntryPoint(dataDir, { ...limits, ...foreign });
    for (const step of [
      'PostgreSQL 18\\.\\d+ on 127\\.0\\.0\\.1:\\d+',
      'Temporal 1\\.\\d+\\.\\d+ on \\S+, from \\S+',
      'database schema',
      'API',
      'worker',
      'demo workspace',
    ]) {
      assert.match(service.printed(), new RegExp(`^✓ ${step} \\(\\d+\\.\\d s\\)$`, 'm'));
    }
    const { id } = await paste();
    await untilDelivered(id);
    assert.deepEqual(await (await fetch(`${api()}/health`)).json().then((health) => (health as { status: string }).status), 'ok');
    assert.equal((await fetch(running().find(/Temporal Web UI +(http\S+)/))).status, 200);
    assert.equal((await fetch(running().find(/Docs +(http\S+)/))).status, 200);
  });

  it('npm start gives its settings to commands of the operator, which have none but DATA_DIR', async () => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
    const run = (name: string, ...args: string[]) =>
      promisify(execFile)(process.execPath, [resolve(import.meta.dirname, `../../${name}.js`), ...args], { env, cwd: dataDir });
    assert.match((await run('api/admin/admin', 'routes')).stdout, /^sms +sandbox /);
    assert.match((await run('api/admin/admin', 'audit')).stdout, /^0 differences\.\n$/);
    const created = await run('api/admin/admin', 'workspace', 'create', 'ada@example.com', '--json');
    assert.equal(new URL(JSON.parse(created.stdout).link).origin, api());
    await assert.rejects(run('api/admin/admin', 'recover', '--status'), /there is no such recovery/);
  });

  it('npm start exits 1 with one sentence if it already runs on the folder', async () => {
    const second = spawnEntryPoint('start', dataDir);
    assert.equal(await exitCodeOf(second.child), 1);
    assert.match(second.printed(), /^✗ Tidings already runs on .*: stop it first, or set another DATA_DIR\.\n$/);
  });

  it('npm start exits 1 with one sentence for a busy port, and leaves nothing running', async () => {
    const other = temporaryFolder();
    const second = spawnEntryPoint('start', other.path, { PORT: new URL(api()).port });
    assert.equal(await exitCodeOf(second.child), 1);
    assert.match(second.printed(), /^✗ Port \d+ on 127\.0\.0\.1 is in use by another program: .*\n$/);
    assert.deepEqual(processesOf(other.path), []);
    other.remove();
  });

  it('npm start exits 1 and lists all bad settings', async () => {
    const { child, printed } = spawnEntryPoint('start', dataDir, { PORT: 'many', SIGNUP_CREDITS: '-1' });
    assert.equal(await exitCodeOf(child), 1);
    assert.match(printed(), /^✗ Bad settings:\n {2}- PORT .*\n {2}- SIGNUP_CREDITS .*\n$/);
  });

  it('npm start starts a killed part again with its data on the same port', async () => {
    const [{ id }, port] = [await paste(), running().find(/PostgreSQL .*:(\d+)/)];
    for (const name of ['PostgreSQL', 'Temporal', 'worker', 'API']) {
      const pid = pidOf(name);
      process.kill(pid as number, 'SIGKILL');
      await until(() => running().printed().includes(`✓ ${name} is back`), `${name} is back`);
      assert.notEqual(pidOf(name), pid);
    }
    await untilDelivered((await paste()).id);
    assert.ok((await messages()).some((message) => message.id === id));
    assert.match(running().printed(), new RegExp(`PostgreSQL .*:${port}`));
  });

  it('the demo runs against the running service, also with limited signups', async () => {
    for (const beginning of [
      /signed up story-\w+@tidings\.invalid, 100 credits/,
      /rate limited now: continuing as story-\w+@tidings\.invalid/,
    ]) {
      const { child, printed } = spawnEntryPoint('demo', dataDir);
      assert.equal(await exitCodeOf(child), 0, printed());
      assert.match(printed(), beginning);
      for (const event of ['queued', 'sent', 'delivered'])
        assert.match(printed(), new RegExp(`message\\.${event} received, both signatures verified`));
    }
  });

  const killLauncher = async () => {
    process.kill(-running().launcher.pid, 'SIGKILL');
    await until(() => !isAlive(running().launcher), 'the launcher is gone');
  };

  it('all data is kept after everything is killed', async () => {
    const { id } = await paste();
    for (const { pid } of processesOf(dataDir)) process.kill(-pid, 'SIGKILL');
    await killLauncher();
    const lostKey = apiKey();
    rmSync(join(dataDir, 'demo.json'));
    service = await startEntryPoint(dataDir, limits);
    assert.notEqual(apiKey(), lostKey, 'a new key for the same workspace');
    await untilDelivered(id);
    await untilDelivered((await paste()).id);
  });

  it('the demo starts the service by itself where a killed launcher has left everything running, and leaves nothing running', async () => {
    const before = processesOf(dataDir);
    assert.equal(before.length, 4);
    await killLauncher();
    const { child, printed } = spawnEntryPoint('demo', dataDir);
    assert.equal(await exitCodeOf(child), 0, printed());
    assert.match(printed(), /^– stopped processes that an earlier start left behind: .*PostgreSQL/m);
    assert.ok(!before.some(isAlive));
    assert.match(printed(), /✓ database schema[^]*The demo is complete/);
    assert.doesNotMatch(printed(), /✓ demo workspace/, 'the one in the database works');
    assert.deepEqual(processesOf(dataDir), []);
  });

  it('npm start stops everything on SIGTERM during its start', async () => {
    const { child, printed } = spawnEntryPoint('start', dataDir);
    await until(() => printed().includes('✓ PostgreSQL'), 'PostgreSQL runs');
    const processes = processesOf(dataDir);
    child.kill('SIGTERM');
    assert.equal(await exitCodeOf(child), 0);
    assert.ok(processes.length > 0 && !processes.some(isAlive));
    assert.doesNotMatch(printed(), /✗/);
  });

  it('the demo is refused on a configured database, and starts nothing', async () => {
    for (const env of [{ DATABASE_URL: `${process.env.TEST_DATABASE_SERVER}/postgres` }, { TEMPORAL_ADDRESS: '127.0.0.1:1' }]) {
      const { child, printed } = spawnEntryPoint('demo', dataDir, env);
      assert.equal(await exitCodeOf(child), 1);
      assert.equal(printed(), '✗ The demo needs an embedded service: unset DATABASE_URL and TEMPORAL_ADDRESS.\n');
    }
  });
});
