import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertBooks } from '../../harness/checks/invariants.js';
import { phone } from '../support/bulk-requests.js';
import { type Account, restClient, until } from '../support/client.js';
import { rows } from '../support/database.js';
import { startFaultProxy } from '../support/network/fault-proxy.js';
import { type Service, startService } from '../support/service.js';
import { runCommand } from './run-command.js';
import { runHere, startHere } from './run-here.js';

describe('tidings bulk', () => {
  let service: Service;
  let folder: string;
  let account: Account;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    service = await startService({ isHere: true, env: { SIGNUP_CREDITS: '50000' } });
    folder = mkdtempSync(join(tmpdir(), 'tidings-bulk-'));
  });
  beforeEach(async () => {
    account = await restClient(service.url).signUp();
    env = { TIDINGS_API_KEY: account.apiKey, TIDINGS_URL: service.url };
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await service.stop();
  });

  function file(text: string): string {
    const path = join(folder, 'people.csv');
    writeFileSync(path, text);
    return path;
  }
  const stored = () =>
    rows<{ to: string; text: string }>(
      service.db,
      `SELECT "to", content->>'text' AS text FROM messages WHERE workspace_id = $1 AND status <> 'accepting' ORDER BY "to"`,
      [account.workspaceId],
    );
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();

  it('tidings bulk sends each row once, with its columns as placeholders', async () => {
    const path = file('\ufeffName,Mobile,order\n"Ada, first",+15551000001,7\n\nBob , +15551000002,\nAda,+15551000001,8\n');
    const args = ['bulk', path, '--to', 'Mobile', '--column', 'name=Name', '--text', 'Hi {{name}} {{order|none}}'];
    const preview = await runCommand([...args, '--preview'], env);
    assert.equal(preview.code, 0, preview.stderr);
    assert.match(preview.stdout, /^2 messages, 2 credits \(balance 50000\), 1 duplicate left out\nfirst text: Hi Ada, first 7\n$/);
    assert.deepEqual(await stored(), []);
    const unasked = await runHere(args, env);
    assert.deepEqual([unasked.code, await stored()], [2, []]);
    const sent = await runCommand([...args, '--yes'], env);
    assert.match(sent.stdout, /^\S+ {2}2 messages, 2 credits\n$/);
    const wanted = [
      { to: '+15551000001', text: 'Hi Ada, first 7' },
      { to: '+15551000002', text: 'Hi Bob none' },
    ];
    assert.deepEqual(await stored(), wanted);
    const again = await runHere([...args, '--yes'], env);
    assert.match(again.stderr, /1 of 1 requests had been sent before/);
    assert.deepEqual(await stored(), wanted);
    assert.equal((await runHere([...args, '--yes', '--run', '2'], env)).code, 0);
    assert.equal((await stored()).length, 4);
  });

  it('invalid lines are named, and skipped with --skip-invalid', async () => {
    const path = file('to,name\n+15551000001,Ada\nnobody,Bob\n+15551000003,\n');
    const args = ['bulk', path, '--text', 'Hi {{name}}', '--yes'];
    const refused = await runHere(args, env);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /line 3\.to: Phone number must be in E\.164 format/);
    assert.match(refused.stderr, /line 4\.variables\.name: /);
    assert.deepEqual(await stored(), []);
    const sent = await runHere([...args, '--skip-invalid'], env);
    assert.equal(sent.code, 0, sent.stderr);
    assert.match(sent.stdout, /1 message, 1 credit, 2 invalid\n$/);
    assert.match(sent.stderr, /line 3: recipients/);
  });

  it('a send that continues after Ctrl-C sends nothing twice', async () => {
    const count = 240;
    const filler = 'x'.repeat(30_000); // so few rows need three requests
    const path = file(`phone,filler\n${Array.from({ length: count }, (_, index) => `${phone(index)},${filler}`).join('\n')}\n`);
    const args = ['bulk', path, '--text', 'Hello', '--at', tomorrow, '--yes'];
    const proxy = await startFaultProxy(new URL(service.url).host);
    const onOutput = () => (proxy.mode = 'lose-answers'); // the first request is answered
    const first = startHere(args, { ...env, TIDINGS_URL: `http://${proxy.address}` }, { input: '', onOutput });
    await until(async () => (await stored()).length === 232, 'the second request is accepted');
    first.interrupt();
    const { code, stderr } = await first.ended;
    await proxy.close();
    assert.equal(code, 130, stderr);
    assert.match(stderr, /116 of 240 rows were sent, 116 messages accepted; run the same command again/);
    const second = await runHere(args, env);
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stderr, /2 of 3 requests had been sent before/);
    const messages = await stored();
    assert.deepEqual([messages.length, new Set(messages.map(({ to }) => to)).size], [count, count]);
  });

  it('--skip-invalid continues at the refused request, and --rate limits all requests together', async () => {
    const count = 10_002;
    const numbers = Array.from({ length: count }, (_, index) => (index === 10_000 ? 'nobody' : phone(index)));
    const args = ['bulk', file(`phone\n${numbers.join('\n')}\n`), '--text', 'Hello', '--at', tomorrow, '--rate', '25', '--yes'];
    const refused = await runHere(args, env);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /10000 of 10002 rows were sent[^]*line 10002\.to: Phone number/);
    const sent = await runHere([...args, '--skip-invalid'], env);
    assert.equal(sent.code, 0, sent.stderr);
    assert.match(sent.stdout, / 1 message, 1 credit, 1 invalid\n$/);
    assert.equal((await stored()).length, count - 1);
    const sql = 'SELECT count(*) AS batches, sum(rate) AS rate FROM batches WHERE workspace_id = $1';
    assert.deepEqual(await rows(service.db, sql, [account.workspaceId]), [{ batches: 2, rate: 25 }]);
  });

  it('a file that cannot be read, or lacks a column, is refused, and nothing is sent', async () => {
    for (const [text, said] of [
      ['a,b\n1,2\n', /no column is named to, recipient, phone or email: name it with --to/],
      ['to,name\n+15551000001\n', /people\.csv: Invalid Record Length/],
      ['to,name\n', /has no rows/],
      ['to\n"+15551000001\n', /people\.csv: Quote Not Closed/],
    ] as const) {
      const { code, stderr } = await runHere(['bulk', file(text), '--text', 'Hello', '--yes'], env);
      assert.deepEqual([code, said.test(stderr)], [2, true], stderr);
    }
    const absent = await runHere(['bulk', join(folder, 'none.csv'), '--text', 'Hello', '--yes'], env);
    assert.deepEqual([absent.code, /ENOENT/.test(absent.stderr)], [2, true]);
    assert.equal((await runHere(['bulk', file('to,name\n1,2\n'), '--text', 'x', '--column', 'a=none'], env)).code, 2);
    assert.deepEqual(await stored(), []);
  });
});
