/** What the command `tidings` reads: standard input, answers at the terminal, settings. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/client.js';
import { runHere, startHere } from './run-here.js';
import { type ScriptedServer, startScriptedServer } from './scripted-server.js';

describe('the input of the command tidings', () => {
  let server: ScriptedServer;
  let env: NodeJS.ProcessEnv;
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-input-'));
  });
  beforeEach(async () => {
    server = await startScriptedServer();
    env = { HOME: folder, TIDINGS_API_KEY: 'tidings_x', TIDINGS_URL: server.url };
  });
  afterEach(() => server.close());
  after(() => rmSync(folder, { recursive: true, force: true }));
  const sendOfInput = ['send', '+15551234567', '-'];

  it('a text on standard input that is not UTF-8 exits with 2, and nothing is sent', async () => {
    for (const input of [Buffer.from('Müller', 'latin1'), Buffer.from('é').subarray(0, 1)]) {
      const { code, stderr } = await runHere(sendOfInput, env, { input });
      assert.deepEqual([code, stderr], [2, 'tidings: standard input is not in UTF-8\n']);
    }
    assert.deepEqual(server.requests, []);
  });

  it('Ctrl-C exits with 130 while standard input is read', async () => {
    for (const args of [sendOfInput, ['login']]) {
      const running = startHere(args, env);
      running.stdin.write('Hel');
      await until(() => running.stdin.readableFlowing !== null || running.stdin.listenerCount('readable') > 0, 'it reads');
      running.interrupt();
      assert.equal((await running.ended).code, 130);
    }
  });

  it('Ctrl-C at a question exits with 130, and the end of input is a no', async () => {
    const path = join(folder, 'people.csv');
    writeFileSync(path, 'to\n+15551234567\n');
    const data = { messages: [{ text: 'Hi', errors: [] }], credits: 1, balance: 5 };
    server.answers = [{ status: 200, body: { success: true, data } }];
    for (const [args, question, typed, code] of [
      [['bulk', path, '--text', 'Hi'], 'Send?', '\u0003', 130],
      [['bulk', path, '--text', 'Hi'], 'Send?', '\u0004', 1],
      [['login'], 'API key:', '\u0003', 130],
    ] as const) {
      const running = startHere(args, env, { isTTY: true });
      await until(() => running.stderr().includes(question), 'it asks');
      running.stdin.write(typed);
      assert.equal((await running.ended).code, code, args[0]);
    }
  });

  it('a key, an address or an id that cannot work exits with 2', async () => {
    for (const [args, changes, said] of [
      [['balance'], { TIDINGS_API_KEY: '' }, /apiKey is required: set TIDINGS_API_KEY/],
      [['balance'], { TIDINGS_API_KEY: 'klíč' }, /apiKey must be visible ASCII characters: set TIDINGS_API_KEY/],
      [['balance'], { TIDINGS_URL: 'localhost' }, /baseUrl must be a URL, such as \S+: set .*TIDINGS_URL/],
      [['send', '+15551234567', 'Hi', '--key', ''], {}, /idempotencyKey must be visible ASCII characters/],
      [['messages', ''], {}, /an id is required/],
    ] as const) {
      const { code, stderr } = await runHere(args, { ...env, ...changes });
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, said);
    }
    assert.equal((await runHere(['login'], env, { input: 'klíč\n' })).code, 2);
    assert.deepEqual(server.requests, []);
  });

  it('a stored file that cannot be read exits with 2 and its name, and is not read if the environment names the key', async () => {
    const file = join(folder, 'tidings/config.json');
    const stored = { XDG_CONFIG_HOME: folder, TIDINGS_URL: server.url };
    mkdirSync(file, { recursive: true });
    const { code, stderr } = await runHere(['balance'], stored);
    assert.equal(code, 2);
    assert.ok(stderr.startsWith(`tidings: ${file} cannot be read (EISDIR`), stderr);
    server.answers = [{ status: 200, body: { success: true, data: { balance: 5 } } }];
    assert.equal((await runHere(['balance'], { ...stored, TIDINGS_API_KEY: 'tidings_x' })).code, 0);
    rmSync(file, { recursive: true });
    writeFileSync(file, 'null');
    assert.match((await runHere(['balance'], stored)).stderr, /^tidings: no API key for /);
  });

  it('an option of another action exits with 2, and nothing is sent', async () => {
    for (const [args, said] of [
      [['webhooks', '--status', 'failed'], '--status is not for the list of webhooks'],
      [['webhooks', 'create', 'https://example.com/', '--since', '2026-11-30'], '--since is not for webhooks create'],
      [['webhooks', 'delete', 'one', '--events', 'message.failed'], '--events is not for webhooks delete'],
      [['webhooks', 'deliveries', 'one', '--since', '2026-11-30'], '--since is not for webhooks deliveries'],
      [['messages', 'one', '--status', 'failed'], '--status is not for messages ID'],
    ] as const)
      assert.deepEqual(await runHere(args, env), { code: 2, stdout: '', stderr: `tidings: ${said}\n` });
    assert.deepEqual(server.requests, []);
  });
});
