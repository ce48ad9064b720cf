/** The receivers to copy do what their comments say; the one in Node with the package as it would be installed. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { deliveryHeaders, generateWebhookSecret } from '../../models/rules/webhooks/signature.js';
import { root } from '../deploy/project.js';
import { until } from '../support/client.js';
import { freePort } from '../support/network/free-port.js';

describe('receivers', function () {
  this.timeout(60_000);
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

  const start = async (program: string, file: string) => {
    const port = await freePort();
    const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRETS: `${old} ${secret}` };
    const child = spawn(program, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(child);
    let said = '';
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString();
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
    return { post, said: () => said };
  };
  const event = (messageId: string) =>
    JSON.stringify({ event: 'message.sent', timestamp: '', data: { message_id: messageId, note: 'ž 🐎' } });
  const signed = (body: string, by = secret, id = uuidv7(), age = 0) =>
    deliveryHeaders({ id, type: 'message.sent', body, secrets: [by], timestampSeconds: Math.floor(Date.now() / 1000) - age });

  for (const [program, file] of [
    [process.execPath, 'receiver.mjs'],
    ['python3', 'receiver.py'],
  ] as const) {
    it(`${file} handles what is ours once, and believes nothing else`, async () => {
      const { post, said } = await start(program, file);
      const [first, second] = [event('one'), event('two')];
      const headers = signed(first);
      assert.deepEqual([await post(first, headers), await post(first, headers)], [200, 200]);
      assert.equal(await post(second, signed(second, old)), 200, 'the secret that is being replaced');
      assert.equal(await post(second, signed(first)), 403, 'another body');
      assert.equal(await post(second, signed(second, generateWebhookSecret())), 403, 'another secret');
      assert.equal(await post(second, signed(second, secret, uuidv7(), 400)), 403, 'too old');
      assert.equal(await post(second, signed(second, secret, uuidv7(), -400)), 403, 'from the future');
      assert.equal(await post(second, {}), 403, 'no signature');
      await until(() => said().split('\n').length >= 3, 'both were handled');
      assert.equal(said(), 'message.sent one\nmessage.sent two\n');
      const test = JSON.stringify({ event: 'webhook.test', timestamp: '', data: { webhook_id: 'three' } });
      assert.equal(await post(test, signed(test)), 200, 'a test event, which is of no message');
      assert.match(said(), /\nwebhook\.test *\n$/);
    });
  }
});
