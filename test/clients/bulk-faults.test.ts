/** `tidings bulk` with files of which the service refuses rows, requests or previews. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useApi } from '../api/use-api.js';
import { phone } from '../support/bulk-requests.js';
import { rows } from '../support/database.js';
import { runHere, startHere } from './run-here.js';

describe('tidings bulk with faults', () => {
  const app = useApi({ checksBooks: true });
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let workspaceId: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-bulk-faults-'));
  });
  beforeEach(async () => {
    const account = await app.account({ balance: 1_000_000 });
    workspaceId = account.workspaceId;
    env = { TIDINGS_API_KEY: account.key, TIDINGS_URL: app.url };
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function file(lines: readonly string[]): string {
    const path = join(folder, 'people.csv');
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  }
  const accepted = async () => (await rows(app.deps.db, 'SELECT 1 FROM messages WHERE workspace_id = $1', [workspaceId])).length;
  const faulty = ['to,name', `${phone(1)},Ada`, 'nobody,Bob', `${phone(3)},`];
  const faultsOfFaulty = [
    /^line 3: recipients\[1\]\.to: Phone number must be in E\.164 format$/m,
    /^line 4: recipients\[2\]\.variables\.name: /m,
  ];

  it('a preview counts invalid rows apart from messages, and names their lines', async () => {
    const { code, stdout, stderr } = await runHere(['bulk', file(faulty), '--text', 'Hi {{name}}', '--preview'], env);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^1 message, 2 invalid rows, 1 credit \(balance 1000\)\nfirst text: Hi Ada\n$/);
    for (const fault of faultsOfFaulty) assert.match(stderr, fault);
  });

  it('a preview in JSON has the first text, the sums and the faults, and no recipients', async () => {
    const { stdout } = await runHere(['bulk', file(faulty), '--text', 'Hi {{name}}', '--preview', '--json'], env);
    const { faults, ...rest } = JSON.parse(stdout) as { faults: { line: number; field: string }[] };
    const sums = { chunks: 1, rows: 3, duplicates: 0, credits: 1, balance: 1000, faulty: 2 };
    assert.deepEqual(rest, { ...sums, first: 'Hi Ada', warnings: [] });
    assert.deepEqual(
      faults.map(({ line, field }) => [line, field]),
      [
        [3, 'recipients[1].to'],
        [4, 'recipients[2].variables.name'],
      ],
    );
  });

  it('the question before a bulk send names the invalid rows', async () => {
    const running = startHere(['bulk', file(faulty), '--text', 'Hi {{name}}'], env, { input: 'n\n', isTTY: true });
    const { code, stderr } = await running.ended;
    assert.equal(code, 1);
    assert.match(stderr, /1 message, 2 invalid rows, 1 credit/);
    for (const fault of faultsOfFaulty) assert.match(stderr, fault);
    assert.match(stderr, /Send\? \[y\/N\][^]*nothing was sent/);
  });

  it('a preview warns of probable mistakes, with the number of messages', async () => {
    const path = file(['email', 'a@example.com', 'b@example.com']);
    const { code, stderr } = await runHere(['bulk', path, '--channel', 'email', '--text', 'Hi', '--preview'], env);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^warning: content\.subject is absent or blank in 2 e-mails: /m);
  });

  it('the command names the fields that the service has ignored', async () => {
    const { code, stderr } = await runHere(['send', phone(1), 'Hi', '--subject', 'News'], env);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Tidings ignored fields of POST \/messages\/send: content\.subject$/m);
  });

  it('a bulk send whose texts are too many for one preview has the price of its first rows', async () => {
    const path = file(['email', ...Array.from({ length: 200 }, (_, index) => `p${index}@example.com`)]);
    const args = ['bulk', path, '--channel', 'email', '--subject', 'News', '--text', 'x'.repeat(90 * 1024), '--preview'];
    const { code, stdout, stderr } = await runHere(args, env);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^200 messages, about 20 credits \(balance 1000\)\n/);
    const unnamed = await runHere(args.toSpliced(4, 2), env);
    assert.match(unnamed.stderr, /^warning: among the first 100 rows: content\.subject is absent or blank in 100 e-mails: /m);
  });

  it('--skip-invalid goes on after a request of which every row is faulty', async () => {
    const filler = 'x'.repeat(30_000); // so few rows need two requests
    const wrong = Array.from({ length: 120 }, (_, index) => `nobody${index},${filler}`);
    const path = file(['to,filler', ...wrong, `${phone(1)},`]);
    const { code, stdout, stderr } = await runHere(['bulk', path, '--text', 'Hi', '--yes', '--skip-invalid'], env);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^- {2}0 messages, 0 credits, 116 invalid\n\S+ {2}1 message, 1 credit, 4 invalid\n$/);
    assert.match(stderr, /^line 2: recipients\[0\]\.to: Phone number must be in E\.164 format$/m);
    assert.match(stderr, /^17 more errors are not listed$/m);
    assert.equal(await accepted(), 1);
  });

  it('--skip-invalid exits with 1 when nothing could be sent', async () => {
    const { code, stdout, stderr } = await runHere(
      ['bulk', file(['to', 'nobody']), '--text', 'Hi', '--yes', '--skip-invalid', '--json'],
      env,
    );
    assert.equal(code, 1);
    const { id, accepted: count, invalid } = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual([id, count, invalid], [null, 0, 1]);
    assert.match(stderr, /nothing was sent: every row is invalid/);
  });

  it('--skip-invalid stops at a fault of the request itself', async () => {
    const path = file(['to', 'nobody']);
    const { code, stdout } = await runHere(['bulk', path, '--text', 'Hi', '--yes', '--skip-invalid', '--at', 'soon'], env);
    assert.deepEqual([code, stdout], [1, '']);
  });

  it('tidings bulk refuses what is no regular file, because it reads it more than once', async () => {
    for (const path of ['/dev/null', folder]) {
      const { code, stderr } = await runHere(['bulk', path, '--text', 'Hi', '--yes'], env);
      assert.deepEqual([code, stderr], [2, `tidings: ${path}: it is not a regular file: bulk reads it more than once\n`]);
    }
  });
});
