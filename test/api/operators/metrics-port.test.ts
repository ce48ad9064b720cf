import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { testEnv } from '../../support/config.js';
import { scrape } from '../../support/metrics-page.js';
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
    taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening').catch(() => undefined);
  };

  /** Another process may have the default port first, and free it before the service wants it. So this is tried once more. */
  const startBeside = async (METRICS_PORT: string, isWanted: (started: Awaited<ReturnType<typeof start>>) => boolean) => {
    for (let tries = 1; ; tries += 1) {
      await take(usual);
      const started = await start(METRICS_PORT);
      if (tries === 2 || isWanted(started)) return started;
      taken?.close();
    }
  };

  it('a start fails and names the port when a chosen metrics port is taken', async () => {
    const port = await freePort();
    await take(port);
    const { outcome, output } = await start(String(port));
    assert.equal(outcome, 1);
    assert.match(output(), new RegExp(`Port ${port} on 127\\.0\\.0\\.1 cannot serve the metrics \\(EADDRINUSE\\): set METRICS_PORT`));
  });
  it('a start fails too when the default port is taken and METRICS_PORT names it', async () => {
    assert.equal((await startBeside(String(usual), ({ outcome }) => outcome === 1)).outcome, 1);
  });
  it('the service runs without metrics, with a warning, when the default port is taken', async () => {
    const { outcome, output } = await startBeside('', (started) => started.output().includes('no metrics'));
    assert.equal(outcome, 'ready');
    assert.match(output(), /no metrics: the port is taken/);
  });
  it('the metrics port serves its pages and nothing else', async () => {
    const port = await freePort();
    assert.equal((await start(String(port))).outcome, 'ready');
    assert.ok((await scrape(port)).series.size > 0);
    const statusOf = async (path: string, method = 'GET') => (await fetch(`http://127.0.0.1:${port}${path}`, { method })).status;
    assert.deepEqual([await statusOf('/live'), await statusOf('/other'), await statusOf('/metrics', 'POST')], [200, 404, 405]);
  });
});
