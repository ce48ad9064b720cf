import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const logger = pathToFileURL(resolve(import.meta.dirname, '../../../models/process/logger.js')).href;

describe('the log', () => {
  /** Runs this with `log`, a logger, in a process of its own. */
  const run = (code: string, stdout: number | 'pipe') => {
    const script = `import { createLogger } from '${logger}'; const log = createLogger('test', 'info'); ${code}`;
    return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', stdout, 'pipe'], timeout: 20_000 });
  };

  it('the log loses lines on a full disk, and the process continues', async () => {
    const full = await open('/dev/full', 'w');
    const child = run(
      `log.info('first'); setTimeout(() => { log.info('second'); process.stderr.write('still here'); }, 50).unref(); setTimeout(() => {}, 100);`,
      full.fd,
    );
    const [said, [code]] = await Promise.all([text(child.stderr as NodeJS.ReadableStream), once(child, 'exit')]);
    await full.close();
    assert.deepEqual({ said, code }, { said: 'still here', code: 0 });
  });

  it('the log writes one line for each entry, whatever its texts contain', async () => {
    const forged = 'first\\r\\n{"level":"info","msg":"forged"}\\u2028\\u0085';
    const child = run(`const text = '${forged}'; log.warn({ id: text, err: new Error(text) }, text); log.info('last');`, 'pipe');
    const [lines] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')]);
    const entries = lines
      .trimEnd()
      .split(/[\r\n]+/)
      .map((line) => JSON.parse(line) as { level: string; msg: string });
    assert.deepEqual(
      entries.map(({ level, msg }) => [level, msg.slice(0, 5)]),
      [
        ['warn', 'first'],
        ['info', 'last'],
      ],
    );
  });

  it('the log prints no secret and no address, at any depth of an object', async () => {
    const child = run(`log.info({ id: 1, key: 'secret-1', hook: { secret: 'secret-2', to: '+15551234567' } }, 'made');`, 'pipe');
    const [line] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')]);
    const { id, key, hook, msg } = JSON.parse(line) as Record<string, unknown>;
    assert.deepEqual({ id, key, hook, msg }, { id: 1, key: '[redacted]', hook: { secret: '[redacted]', to: '[redacted]' }, msg: 'made' });
  });

  it('the log prints name, message, code and stack of an error and of its causes, and no other field', async () => {
    const cause = `Object.assign(new Error('inner'), { code: '23502', detail: 'Failing row contains (ada@example.com).' })`;
    const error = `Object.assign(new TypeError('outer', { cause: ${cause} }), { rejected: ['ada@example.com'], details: ['+15551234567'] })`;
    const child = run(`log.warn({ err: ${error} }, 'Activity failed');`, 'pipe');
    const [line] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')]);
    const { err } = JSON.parse(line) as { err: { stack: string; cause: { stack: string } } };
    assert.match(err.stack, /^TypeError: outer\n +at /);
    assert.match(err.cause.stack, /^Error: inner\n +at /);
    const { stack } = err;
    const inner = { name: 'Error', message: 'inner', code: '23502', stack: err.cause.stack };
    assert.deepEqual(err, { name: 'TypeError', message: 'outer', stack, cause: inner });
  });
});
