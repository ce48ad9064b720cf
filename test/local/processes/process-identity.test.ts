import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { endProcess, identify, isAlive, type ProcessIdentity } from '../../../local/processes/process-identity.js';
import { until } from '../../support/client.js';
import { obedient, stubborn, zombieKeeper } from './stand-in.js';

describe('process identity', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  async function start(javaScript: string): Promise<{ child: ChildProcess; identity: ProcessIdentity; said: string }> {
    const child = spawn(process.execPath, ['-e', javaScript], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(child);
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const identity = identify(child.pid as number);
    assert.ok(identity !== undefined);
    return { child, identity, said: said.toString() };
  }

  it('the identity of a process stays the same as long as it lives, and ends with it', async () => {
    const { child, identity } = await start(obedient);
    assert.deepEqual(identify(child.pid as number), identity);
    assert.ok(isAlive(identity));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(!isAlive(identity));
    assert.equal(identify(identity.pid), undefined);
  });

  it('a process is distinguished from an earlier one with the same pid, which is never signalled', async () => {
    const { child, identity } = await start(obedient);
    const earlier = { ...identity, started: 'long ago' };
    assert.ok(!isAlive(earlier));
    await endProcess(earlier, [{ signal: 'SIGKILL', waitMs: 1_000 }]);
    assert.ok(isAlive(identity));
    assert.equal(child.exitCode, null);
  });

  it('a zombie counts as gone', async function () {
    if (process.platform !== 'linux') this.skip();
    const parent = spawn('sh', ['-c', zombieKeeper], { stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(parent);
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    await until(() => identify(Number(pid)) === undefined, 'the process is a zombie');
    assert.ok(process.kill(Number(pid), 0), 'the system still has it');
  });

  it('a process is ended by the first signal that it obeys', async () => {
    const { child, identity } = await start(`process.on('SIGINT', () => {}); ${obedient}`);
    const exit = once(child, 'exit');
    await endProcess(identity, [
      { signal: 'SIGINT', waitMs: 100 },
      { signal: 'SIGTERM', waitMs: 5_000 },
    ]);
    assert.deepEqual(await exit, [null, 'SIGTERM']);
  });

  it('a process is killed with its whole group when it obeys no signal', async () => {
    const { child, identity, said } = await start(
      `const { spawn } = require('node:child_process'); process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6);
       const own = spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: ['ignore', 'pipe', 'ignore'] });
       own.stdout.once('data', () => console.log(own.pid));`,
    );
    const exit = once(child, 'exit');
    await endProcess(identity, [{ signal: 'SIGTERM', waitMs: 100 }]);
    assert.deepEqual(await exit, [null, 'SIGKILL']);
    await until(() => identify(Number(said)) === undefined, 'its child ends too');
  });
});
