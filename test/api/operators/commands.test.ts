import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { completionOf } from '../../../api/admin/completion.js';
import { commands } from '../../../api/admin/commands/index.js';
import { runCommand } from '../../../api/admin/run-command.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { freePort } from '../../support/network/free-port.js';
import { rows } from '../../support/database.js';
import { buildQueued } from '../../support/rows/factories.js';
import { runAdmin } from '../../support/run-admin.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const program = resolve(import.meta.dirname, '../../../api/admin/admin.js');

/** Runs the program as a process of its own, without settings but these. */
function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [program, ...args], { env: { PATH: process.env.PATH, ...env }, cwd: '/' }, (error, out, err) => {
      done({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

describe("the operator's commands as one program", () => {
  it('help explains all commands and each one, and unknown ones exit with 2', async () => {
    const help = await runCommand(commands, ['help'], () => assert.fail('it connected'));
    assert.equal(help.code, 0);
    assert.deepEqual(await runCommand(commands, ['help', '--json'], () => assert.fail('it connected')), help);
    for (const { name, summary } of commands) {
      assert.ok(help.out.includes(`  ${name}`) && help.out.includes(summary), name);
      const own = await runCommand(commands, ['help', ...name.split(' ')], () => assert.fail('it connected'));
      assert.ok(own.out.startsWith(`Usage: tidings-admin ${name}`) && own.out.includes('--json'), name);
    }
    for (const [args, why] of [
      [['nothing'], /Unknown command: nothing/],
      [['workspace'], /Did you mean: workspace find, workspace create/],
      [['stuck', '--older'], /Unknown option '--older'[^]*Usage: stuck/],
      [['suspend', 'ada@example.com'], /Usage: suspend <workspace> --reason TEXT/],
      [['suspend', 'ada@example.com', '--reason', ' '], /--reason is empty[^]*Usage: suspend/],
      [['credit', 'ada@example.com', '5', '--reason', 'x', '--reference', ''], /--reference is empty[^]*Usage: workspace credit/],
      [['completion', 'fish'], /The shell must be one of: bash, zsh/],
      [['help', 'nothing'], /Unknown command: nothing/],
      [['help', 'workspace'], /Did you mean: workspace find, workspace create/],
      [['nothing', '--help'], /Unknown command: nothing/],
    ] as const) {
      const { code, out, err } = await runCommand(commands, args, () => assert.fail('it connected'));
      assert.deepEqual([code, out], [2, ''], args.join(' '));
      assert.match(err, why);
      const asJson = await runCommand(commands, [...args, '--json'], () => assert.fail('it connected'));
      assert.deepEqual([asJson.code, asJson.err], [2, ''], args.join(' '));
      assert.match(JSON.parse(asJson.out).error, why);
    }
  });
  it('a command whose reader has left exits as usual and prints no error', async () => {
    const child = spawn(process.execPath, [program, 'help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [err, [code]] = await Promise.all([textOf(child.stderr), once(child, 'close')]);
    assert.deepEqual([code, err], [0, '']);
  });
  it('a command whose result cannot be written exits with 1 and says so in one line', () => {
    const unwritable = openSync(program, 'r');
    const { status, stderr } = spawnSync(process.execPath, [program, 'help'], { stdio: ['ignore', unwritable, 'pipe'], encoding: 'utf8' });
    closeSync(unwritable);
    assert.match(stderr, /^The command ended with code 0, but its result could not be written: EBADF.*\n$/);
    assert.equal(status, 1);
  });
  it('commands exit with 1 and name the missing setting', async () => {
    const asJson = await run(['stuck', '--json']);
    assert.equal(asJson.code, 1);
    assert.match(JSON.parse(asJson.out).error, /DATABASE_URL/);
  });
  it('commands exit with 1 and say which setting to check if PostgreSQL cannot be reached', async () => {
    const env = { DATABASE_URL: `postgres://tidings@127.0.0.1:${await freePort()}/tidings` };
    for (const args of [['stuck'], ['audit', '--acknowledge', 'nobody'], ['migrate']]) {
      const { code, out, err } = await run(args, env);
      assert.deepEqual([code, out], [1, ''], args.join(' '));
      assert.match(err, /^Failed: PostgreSQL cannot be used: connect ECONNREFUSED [^]*Check DATABASE_URL.*\n$/);
    }
  });
  it('commands exit with 1 and name the command for migrations if the database has no schema', async () => {
    const { code, err } = await run(['workspace', 'find', 'ada'], { DATABASE_URL: `${process.env.TEST_DATABASE_SERVER}/postgres` });
    assert.equal(code, 1);
    assert.match(err, /^Failed: relation "workspaces" does not exist\. .*npm run migrate\n$/);
  });
  it('the doctor of the operator’s program names the faults of the settings', async () => {
    const { code, out } = await run(['doctor', '--json'], { PORT: 'x' });
    assert.equal(code, 1);
    const { findings } = JSON.parse(out) as { findings: { subject: string; state: string }[] };
    assert.ok(findings.some(({ subject, state }) => subject === 'settings' && state === 'failed'));
  });
  it('commands and their options are completed in bash', () => {
    const script = completionOf('bash', commands);
    const offered = (...typed: string[]) => {
      const words = ['tidings-admin', ...typed].map((word) => `'${word}'`).join(' ');
      const ask = `complete() { :; }\n${script}\nCOMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _tidings_admin; echo "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('bash', ['-c', ask], { encoding: 'utf8' });
      assert.equal(stderr, '');
      return stdout.trim().split(' ');
    };
    assert.deepEqual(offered('st'), ['stuck']);
    assert.deepEqual(offered('workspace', ''), ['find', 'create', 'ledger', 'credit', 'take-credits', 'end-sessions', 'close']);
    assert.deepEqual(offered('stuck', '--re'), ['--retry']);
    assert.deepEqual(offered('workspace', 'credit', 'ada@example.com', '5', '--rea'), ['--reason']);
    assert.match(completionOf('zsh', commands), /^compdef _tidings_admin tidings-admin$/m);
  });
});

describe("the operator's commands for workspaces", () => {
  const app = useApi();
  let account: Account;
  before(async () => {
    account = await app.account();
  });
  const admin = (...args: string[]) => runAdmin(app.deps, ...args);
  const found = async (text: string) => JSON.parse((await admin('workspace', 'find', text, '--json')).out).workspaces as { id: string }[];

  it('the operator finds a workspace by its id and by a part of its address, in any case', async () => {
    const [own] = await rows<{ email: string }>(app.deps.db, 'SELECT email FROM workspaces WHERE id = $1', [account.workspaceId]);
    for (const text of [account.workspaceId, own?.email.slice(1, -3).toUpperCase() ?? '']) {
      assert.deepEqual(
        (await found(text)).map(({ id }) => id),
        [account.workspaceId],
        text,
      );
    }
    assert.deepEqual([(await admin('workspace', 'find', '%')).code, await found('%')], [1, []]);
  });

  it('workspace close needs the address of the workspace, and writes an audit event', async () => {
    const other = await app.account();
    const [row] = await rows<{ email: string }>(app.deps.db, 'SELECT email FROM workspaces WHERE id = $1', [other.workspaceId]);
    const { id } = await buildQueued(app.deps.db, other.workspaceId);
    assert.equal((await admin('workspace', 'close', other.workspaceId)).code, 2);
    assert.equal((await admin('workspace', 'close', other.workspaceId, '--confirm', 'ada@example.com')).code, 2);
    assert.equal((await app.call('GET', '/api/v1/balance', { key: other.key })).status, 200);

    assert.equal((await admin('workspace', 'close', row?.email ?? '', '--confirm', row?.email ?? '')).code, 0);
    assert.equal((await app.call('GET', '/api/v1/balance', { key: other.key })).status, 401);
    const again = JSON.parse((await admin('workspace', 'close', other.workspaceId, '--confirm', row?.email ?? '', '--json')).out);
    assert.deepEqual(again, { workspace_id: other.workspaceId, closed: true, changed: false });
    const sql = `SELECT actor_name FROM audit_events WHERE workspace_id = $1 AND type = 'workspace.closed'`;
    assert.deepEqual((await rows(app.deps.db, sql, [other.workspaceId])).length, 1);
    await rows(app.deps.db, 'UPDATE message_groups SET closed_at = now() WHERE id = $1', [id]);
    await assertBooks(app.deps.db);
  });
});
