import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tidings } from '../../clients/typescript/client/index.js';
import { freePort } from '../support/network/free-port.js';
import { type Account, restClient } from '../support/client.js';
import { type Service, startService } from '../support/service.js';
import { runCommand } from './run-command.js';
import { runHere } from './run-here.js';

describe('the command tidings', () => {
  let service: Service;
  let account: Account;
  let home: string;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    service = await startService({ isHere: true });
    account = await restClient(service.url).signUp();
    home = mkdtempSync(join(tmpdir(), 'tidings-home-'));
    env = { HOME: home, TIDINGS_API_KEY: account.apiKey, TIDINGS_URL: service.url };
  });
  after(async () => {
    rmSync(home, { recursive: true, force: true });
    await service.stop();
  });

  it('the command tidings logs in with a key from standard input, and stores it for its owner only', async () => {
    const own = { HOME: home };
    const refused = await runHere(['login', '--url', service.url], own, { input: 'tidings_wrong\n' });
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^Invalid API key\n/);
    const { code, stdout, stderr } = await runCommand(['login', '--url', service.url], own, `${account.apiKey}\n`);
    assert.deepEqual([code, stderr], [0, '']);
    assert.doesNotMatch(stdout, new RegExp(account.apiKey));
    const file = join(home, '.config/tidings/config.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { apiKey: account.apiKey, baseUrl: service.url });
    assert.equal((await runCommand(['messages'], own)).code, 0);
    const elsewhere = await runHere(['messages'], { ...own, TIDINGS_URL: 'http://127.0.0.1:1' });
    assert.equal(elsewhere.code, 2, 'the stored key is for the stored address');
  });

  it('the command tidings sends, shows and lists a message', async () => {
    const sent = await runCommand(['send', '+15551234567', '-', '--reference', 'order-7', '--wait', '--json'], env, 'Hello from a pipe');
    assert.equal(sent.code, 0, sent.stderr);
    const { id, status, content } = JSON.parse(sent.stdout) as { id: string; status: string; content: { text: string } };
    assert.deepEqual([status, content.text], ['delivered', 'Hello from a pipe']);
    const list = await runHere(['messages', '--reference', 'order-7', '--limit', '5'], env);
    assert.match(list.stdout, new RegExp(`^${id}  .* delivered +sms +\\+15551234567 +Hello from a pipe\n$`));
    assert.equal((JSON.parse((await runHere(['messages', id], env)).stdout) as { id: string }).id, id);
    const steps = await runHere(['timeline', id, '--follow'], env);
    assert.equal(steps.code, 0);
    assert.match(steps.stdout, /accepted[^]*delivered/);
  });

  it('the command tidings reads a text from standard input without the line break at its end', async () => {
    for (const end of ['', '\n', '\r\n']) {
      const input = `a\n${'x'.repeat(158)}${end}`;
      const { code, stdout, stderr } = await runHere(['send', '+15551234567', '-', '--preview', '--json'], env, { input });
      assert.equal(code, 0, stderr);
      const { credits, messages } = JSON.parse(stdout) as { credits: number; messages: { text: string }[] };
      assert.deepEqual([credits, messages[0]?.text.length], [1, 160]);
    }
  });

  it('the command tidings sends nothing with --preview, and once with --key', async () => {
    const own = { ...env, TIDINGS_API_KEY: (await restClient(service.url).signUp()).apiKey };
    assert.match((await runHere(['send', '+15551234567', 'x'.repeat(161), '--preview'], own)).stdout, /^2 credits, 2 segments\n/);
    assert.equal((await runHere(['send', 'ada@example.com', 'Hello', '--preview'], own)).stdout, '0.1 credits\nHello\n');
    const first = await runHere(['send', 'ada@example.com', 'Hello', '--key', 'one', '--json'], own);
    const second = await runHere(['send', 'ada@example.com', 'Hello', '--key', 'one', '--json'], own);
    assert.equal(JSON.parse(first.stdout).id, JSON.parse(second.stdout).id);
    assert.equal((await runHere(['messages', '--json'], own)).stdout.split('\n').length, 2);
  });

  it('the command tidings triggers each event in the sandbox', async () => {
    for (const [args, status] of [
      [['message.sent'], 'sent'],
      [['message.delivered'], 'delivered'],
      [['message.failed'], 'failed'],
      [['message.failed', '--code', '30034'], 'failed'],
    ] as const) {
      const { code, stdout, stderr } = await runHere(['trigger', ...args, '--json'], env);
      assert.equal(code, 0, stderr);
      const message = JSON.parse(stdout) as { status: string; error_code: string | null };
      assert.equal(message.status, status);
      if (args.length > 1) assert.equal(message.error_code, '30034');
    }
  });

  it('the command tidings creates, tests, lists and deletes a webhook, and shows the balance', async () => {
    const created = await runHere(['webhooks', 'create', 'https://127.0.0.1:8443/hook', '--events', 'message.failed'], env);
    assert.match(created.stdout, /^[0-9a-f-]{36}\nsecret: whsec_\S+\n$/, created.stderr);
    const id = created.stdout.slice(0, 36);
    assert.equal((await runHere(['webhooks'], env)).stdout, `${id}  active    https://127.0.0.1:8443/hook  message.failed\n`);
    assert.equal((await runHere(['webhooks', 'test', id], env)).code, 0);
    const { stdout } = await runHere(['webhooks', 'deliveries', id, '--json'], env);
    const delivery = JSON.parse(stdout) as { id: string; webhook_id: string };
    assert.equal(delivery.webhook_id, id);
    assert.match((await runHere(['webhooks', 'deliveries', id], env)).stdout, new RegExp(`^${delivery.id}  20`));
    assert.equal((await runHere(['webhooks', 'deliveries', id, '--status', 'held'], env)).stderr, 'no deliveries\n');
    const resent = await runHere(['webhooks', 'resend', id, delivery.id], env);
    assert.deepEqual([resent.code, resent.stderr], [0, '']);
    const replay = await runHere(['webhooks', 'replay', id, '--since', '2026-01-01T00:00:00Z', '--status', 'succeeded'], env);
    assert.match(replay.stdout, /^[0-9a-f-]{36}  (running|completed)  0 deliveries match\n$/, replay.stderr);
    assert.equal((await runHere(['webhooks', 'delete', id], env)).code, 0);
    const gone = await runHere(['webhooks', 'delete', id], env);
    assert.deepEqual([gone.code, gone.stderr.split('\n')[0]], [1, 'Webhook not found']);
    assert.equal((await runHere(['webhooks', 'create'], env)).code, 2);
    assert.match((await runHere(['balance'], env)).stdout, /^\d+ credits, \d+ spent today\n$/);
  });

  it('the command tidings cancels a message and a batch, and pauses and resumes the batch', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const sent = await runHere(['send', '+15551234567', 'Hello', '--at', later, '--json'], env);
    const { id } = JSON.parse(sent.stdout) as { id: string };
    assert.deepEqual(await runHere(['cancel', id], env), { code: 0, stdout: `cancelled ${id}\n`, stderr: '' });
    assert.deepEqual((await runHere(['cancel', 'none'], env)).stderr.split('\n')[0], 'Message not found');
    const tidings = new Tidings({ apiKey: account.apiKey, baseUrl: service.url });
    const recipients = ['+15551234567'];
    const batch = await tidings.batches.send({ channel: 'sms', content: { text: 'Hello' }, recipients, scheduled_at: later });
    for (const [verb, status] of [
      ['pause', 'paused'],
      ['resume', 'scheduled'],
      ['cancel', 'cancelled'],
    ] as const) {
      const { stdout, stderr } = await runHere(['batches', verb, batch.id], env);
      assert.match(stdout, new RegExp(`^${batch.id}  20.* ${status} +sms +1 accepted, `), stderr);
    }
    assert.match((await runHere(['batches'], env)).stdout, new RegExp(`^${batch.id}  20.* cancelled `));
  });

  it('the command tidings sends a text with HTML, which expires', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const args = ['send', 'ada@example.com', 'Hello', '--html', '<b>Hello</b>', '--expires', expires, '--json'];
    const { stdout, stderr } = await runHere(args, env);
    assert.equal(stderr, '');
    const { id, content } = JSON.parse(stdout) as { id: string; content: { html: string } };
    const { steps } = await new Tidings({ apiKey: account.apiKey, baseUrl: service.url }).messages.timeline(id);
    assert.deepEqual([content.html, steps[0]?.details.expires_at], ['<b>Hello</b>', expires]);
  });

  it('the command tidings exits with 1 when refused, 2 when called wrongly, 3 when nobody is there', async () => {
    const refused = await runCommand(['send', 'nobody', '', '--channel', 'sms'], env);
    assert.deepEqual(
      [refused.code, refused.stdout, refused.stderr],
      [
        1,
        '',
        'Phone number must be in E.164 format\n  content.text: Missing required field: content.text\n  → A plus sign, the country code and the number without spaces, for example +15551234567\n  → The text belongs in content, for example {"content": {"text": "Hello"}}\n',
      ],
    );
    const failed = await runHere(['send', '+15005550006', 'Hello', '--wait'], env);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /^accepted: \S+\ntidings: the message failed\n$/);
    const misspelt = await runCommand(['listen', '--foward', 'http://localhost:8080/'], env);
    assert.deepEqual(
      [misspelt.code, misspelt.stderr],
      [2, 'tidings: there is no option --foward: tidings listen takes --forward, --secret, --events, --json, --help\n'],
    );
    for (const args of [
      ['nothing'],
      ['send'],
      ['send', 'a', 'b', '--no-such'],
      ['messages', '--limit', 'x'],
      ['trigger', 'message.lost'],
      ['listen', '--events', 'message.sent,delivered'],
      ['webhooks', 'resend', 'id'],
      ['webhooks', 'replay', 'id'],
      ['webhooks', 'test', 'id', 'other'],
      ['batches', 'stop', 'id'],
      [],
    ]) {
      assert.equal((await runHere(args, env)).code, 2, args.join(' '));
    }
    assert.equal((await runHere(['messages'], { HOME: home, XDG_CONFIG_HOME: join(home, 'none') })).code, 2);
    const closed = `http://127.0.0.1:${await freePort()}`;
    const away = await runCommand(['trigger', 'message.sent', '--json'], { ...env, TIDINGS_URL: closed });
    assert.equal(away.code, 3);
    const { code, message, hints } = JSON.parse(away.stderr).error;
    assert.deepEqual([code, message, hints.length], ['network_error', `${closed}/api/v1 cannot be reached: ECONNREFUSED`, 1]);
  });

  it('the command tidings explains itself on one screen, without colours in a pipe', async () => {
    assert.deepEqual(await runCommand(['--help'], {}), await runHere(['--help'], {}));
    for (const args of [
      ['--help'],
      ...'login send bulk batches messages timeline cancel listen trigger webhooks balance completion'
        .split(' ')
        .map((name) => [name, '--help']),
    ]) {
      const { code, stdout } = await runHere(args, {});
      const lines = stdout.trimEnd().split('\n');
      assert.equal(code, 0);
      assert.ok(lines.length <= 24 && lines.every(({ length }) => length <= 90), args.join(' '));
      assert.ok(!stdout.includes('\u001b'));
    }
  });
});
