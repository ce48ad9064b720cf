/** The receivers to copy do what their comments say; the one in Node with the package as it would be installed. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { eventBody, type EventSubject, eventTypes, testEventBody } from '../../models/rules/webhooks/events.js';
import { deliveryHeaders, generateWebhookSecret } from '../../models/rules/webhooks/signed-headers.js';
import { root } from '../deploy/project.js';
import { until } from '../support/client.js';
import { freePort } from '../support/network/free-port.js';
import { slowToFail } from './slow-receiver.js';

describe('receivers', () => {
  const [old, secret] = [generateWebhookSecret(), generateWebhookSecret()];
  const folder = mkdtempSync(join(tmpdir(), 'tidings-receivers-'));
  const running: ChildProcess[] = [];
  before(() => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: join(root, 'verify'), encoding: 'utf8' }),
    );
    const installed = join(folder, 'node_modules/tidings-verify');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components', '1']);
    cpSync(join(root, 'verify/receivers'), folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"dependencies": {"tidings-verify": "*"}}');
  });
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (program: string, args: readonly string[], secrets = `${old} ${secret}`) => {
    const file = args.at(-1);
    const port = await freePort();
    const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRETS: secrets };
    if (program === 'php') args = ['-S', `127.0.0.1:${port}`, ...args];
    const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    let said = '';
    let refused = '';
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString();
    });
    child.stderr.on('data', (text: Buffer) => {
      refused += text.toString();
    });
    const post = async (body: string, headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status;
    await until(
      () =>
        post('', {}).then(
          () => true,
          () => false,
        ),
      `${file} listens`,
    );
    return { port, post, said: () => said, refused: () => refused };
  };
  const has = (program: string) => spawnSync(program, [program === 'go' ? 'version' : '--version']).status === 0;
  const startCompiled = async (file: string) => {
    execFileSync('go', ['build', '-o', 'receiver', file], { cwd: folder });
    return start(join(folder, 'receiver'), []);
  };
  const subject: EventSubject = {
    id: uuidv7(),
    channel: 'sms',
    to: '+15551234567',
    reference: null,
    batch_id: null,
    metadata: null,
    credits_used: 1000,
    provider_message_id: null,
    error_code: '30008',
    error_message: 'Unknown destination',
    delivered_at: new Date(),
  };
  const event = (messageId: string) =>
    JSON.stringify({ event: 'message.sent', timestamp: '', data: { message_id: messageId, note: 'ž 🐎' } });
  const signed = (body: string, by = secret, id = uuidv7(), age = 0) =>
    deliveryHeaders({ id, type: 'message.sent', body, secrets: [by], timestampSeconds: Math.floor(Date.now() / 1000) - age });

  for (const [program, ...args] of [
    [process.execPath, 'receiver.mjs'],
    ['python3', 'receiver.py'],
    ['go', 'receiver.go'],
  ] as const) {
    const [file] = args;
    it(`${file} handles each event once, and refuses forged ones`, async function () {
      if (!has(program)) this.skip();
      const { post, said, refused } = await (program === 'go' ? startCompiled(file) : start(program, args));
      const [first, second] = [event('one'), event('two')];
      const headers = signed(first);
      assert.deepEqual([await post(first, headers), await post(first, headers)], [200, 200]);
      assert.equal(await post(second, signed(second, old)), 200, 'the secret that is being replaced');
      assert.equal(await post(second, signed(first)), 403, 'another body');
      assert.equal(await post(second, signed(second, generateWebhookSecret())), 403, 'another secret');
      await until(() => /refused: .*signature/i.test(refused()), 'the reason is displayed');
      assert.equal(await post(second, signed(second, secret, uuidv7(), 400)), 403, 'too old');
      assert.equal(await post(second, signed(second, secret, uuidv7(), -400)), 403, 'from the future');
      assert.equal(await post(second, {}), 403, 'no signature');
      await until(() => said().split('\n').length >= 3, 'both were handled');
      assert.equal(said(), 'message.sent one\nmessage.sent two\n');
      for (const type of eventTypes) {
        const typed = eventBody(type, subject, new Date());
        assert.equal(await post(typed, signed(typed)), 200, type);
        await until(() => said().endsWith(`\n${type} ${subject.id}\n`), `${type} was handled`);
      }
      const test = testEventBody(uuidv7(), new Date());
      assert.equal(await post(test, signed(test)), 200, 'a test event, which is of no message');
      await until(() => /\nwebhook\.test *\n$/.test(said()), 'the test event was handled');
    });

    it(`${file} acknowledges no event while an attempt that may fail is being handled`, async function () {
      if (!has(program)) this.skip();
      const slow = slowToFail(folder, file);
      const { post } = await (program === 'go' ? startCompiled(slow) : start(program, [slow]));
      const body = event('one');
      const headers = signed(body);
      const first = post(body, headers);
      await until(async () => existsSync(join(folder, `${slow}.begun`)), 'the first attempt is being handled');
      assert.ok((await post(body, headers)) >= 500, 'the second attempt');
      writeFileSync(join(folder, `${slow}.fails`), '');
      assert.equal(await first, 500, 'the first attempt fails');
      assert.equal(await post(body, headers), 200, 'the third one');
    });

    const startAndFail = async (secrets: string) => {
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(await freePort()), WEBHOOK_SECRETS: secrets };
      const options = { cwd: folder, env, encoding: 'utf8', timeout: 30_000 } as const;
      const { status, stderr } = spawnSync(program, program === 'go' ? ['run', file] : args, options);
      assert.equal(status, 1, stderr);
      return stderr;
    };

    it(`${file} does not start without a secret`, async function () {
      if (!has(program)) this.skip();
      assert.match(await startAndFail(''), /Set WEBHOOK_SECRETS/);
    });

    it(`${file} does not start with a malformed secret, and says what is wrong in one sentence`, async function () {
      if (!has(program)) this.skip();
      for (const secrets of ['whsec_', 'whsec_c2hvcnQ=', secret.slice(6), `${secret} ${secret.slice(0, 20)}`, `${secret.slice(0, -1)}!`]) {
        const said = await startAndFail(secrets);
        assert.match(said, /^(\S+ \S+ )?WEBHOOK_SECRETS must be .*whsec_ and base64.*\n/, secrets);
        assert.ok(!said.includes(secret.slice(6)), 'the secret is not shown');
      }
    });
  }

  it('receiver.py answers a request whose length is no number from 0 on', async function () {
    if (!has('python3')) this.skip();
    const { port } = await start('python3', ['receiver.py']);
    for (const length of ['-1', 'x']) {
      const socket = connect(port, '127.0.0.1');
      socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n{}`); // and the body does not end
      const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(60_000) })) as [Buffer];
      assert.match(String(answer), /^HTTP\/1\.[01] 403 /, length);
      socket.destroy();
    }
  });

  describe('receiver.php', () => {
    before(function () {
      if (!has('php')) this.skip();
    });

    it('accepts signed events, and refuses forged ones', async () => {
      const { post, refused: logged } = await start('php', ['receiver.php']);
      const body = event('one');
      assert.equal(await post(body, signed(body)), 200);
      assert.equal(await post(body, signed(body, old)), 200, 'the secret that is being replaced');
      await until(() => logged().includes('message.sent one'), 'the event was handled');
      assert.equal(await post(event('two'), signed(body)), 403, 'another body');
      assert.equal(await post(body, signed(body, generateWebhookSecret())), 403, 'another secret');
      assert.equal(await post(body, signed(body, secret, uuidv7(), 400)), 403, 'too old');
      assert.equal(await post(body, {}), 403, 'no signature');
    });

    for (const secrets of ['', ' ', 'whsec_', `whsec_c2hvcnQ= `]) {
      it(`500 for an event signed with an empty key while WEBHOOK_SECRETS is "${secrets}"`, async () => {
        const { post } = await start('php', ['receiver.php'], secrets);
        const body = event('one');
        assert.equal(await post(body, signed(body, 'whsec_')), 500);
      });
    }
  });
});
