import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { testConfig, testEnv } from '../../support/config.js';
import { forBriefProcess } from '../../support/parts/child.js';
import { freePort } from '../../support/network/free-port.js';

const program = resolve(import.meta.dirname, '../../../api/server.js');
const usual = 9464;

describe('the port of the metrics', () => {
  const children: ChildProcess[] = [];
  let taken: Server | undefined;
  afterEach(async () => {
    taken?.close();
    taken = undefined;
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  const start = async (METRICS_PORT: string) => {
    const env = testEnv({ PORT: String(await freePort()), LOG_LEVEL: 'info', METRICS_PORT, PATH: process.env.PATH });
    const child = fork(program, { env, silent: true, execArgv: forBriefProcess });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += String(chunk)));
    const ended = once(child, 'exit').then(([code]: unknown[]) => code as number);
    const outcome = await Promise.race([once(child, 'message').then(() => 'ready' as const), ended]);
    return { outcome, output: () => output };
  };
  /** Somebody else may have it already. */
  const take = async (port: number) => {
    taken?.close();
    taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening').catch(() => undefined);
  };

  it('a start fails and names the port when a chosen metrics port is taken', async () => {
    const port = await freePort();
    await take(port);
    const { outcome, output } = await start(String(port));
    assert.equal(outcome, 1);
    assert.match(output(), new RegExp(`Port ${port} on 127\\.0\\.0\\.1 cannot serve the metrics \\(EADDRINUSE\\): set METRICS_PORT`));
  });
  it('a start fails too when the default port is taken and METRICS_PORT names it: it was chosen then', () => {
    const { host: _, ...chosen } = testConfig({ METRICS_PORT: String(usual) }).metrics;
    const { host: __, ...byDefault } = testConfig({ METRICS_PORT: '' }).metrics;
    assert.deepEqual(
      [chosen, byDefault],
      [
        { port: usual, isGiven: true },
        { port: usual, isGiven: false },
      ],
    );
  });
  it('the service runs without metrics, with a warning, when the default port is taken', async () => {
    // Another process may have the port first, and free it before the service wants it. So this is tried once more.
    const startBeside = async () => {
      await take(usual);
      return start('');
    };
    let started = await startBeside();
    if (!started.output().includes('no metrics')) started = await startBeside();
    const { outcome, output } = started;
    assert.equal(outcome, 'ready');
    assert.match(output(), /no metrics: the port is taken/);
  });
});
