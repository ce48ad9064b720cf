import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { generateApiKey } from '../../../models/rules/accounts/api-key.js';
import { rows } from '../../support/database.js';
import { runAdmin } from '../../support/run-admin.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const program = resolve(import.meta.dirname, '../../../api/admin/admin.js');

describe("the operator's commands for API keys", () => {
  const app = useApi();
  let account: Account;
  let id: string;
  beforeEach(async () => {
    account = await app.account();
    id = (await rows<{ id: string }>(app.deps.db, 'SELECT id FROM api_keys WHERE workspace_id = $1', [account.workspaceId]))[0]?.id ?? '';
  });

  const admin = (...args: string[]) => runAdmin(app.deps, ...args);
  const found = async (key: string) => {
    const { code, out } = await admin('keys', 'find', key, '--json');
    return [code, (JSON.parse(out).api_keys as { id: string }[]).map((each) => each.id)];
  };
  /** Runs the program as a process of its own, with this standard input. */
  const runWith = async (input: string, ...args: string[]) => {
    const { databaseUrl, secretKey } = app.deps.config;
    const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, SECRET_KEY: secretKey };
    const child = spawn(process.execPath, [program, ...args], { env, cwd: '/' });
    child.stdin.end(input);
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code, out, err };
  };
  const balance = async () => (await app.call('GET', '/api/v1/balance', { key: account.key })).status;
  const audited = () =>
    rows(
      app.deps.db,
      `SELECT actor_type, actor_name, target_id, changes FROM audit_events WHERE workspace_id = $1 AND type = 'api_key.revoked'`,
      [account.workspaceId],
    );

  it('the operator finds a key by its id, its prefix, a part, and the complete key', async () => {
    const prefix = account.key.slice(0, 12);
    for (const key of [id, id.toUpperCase(), account.key, prefix, `${prefix}...`, account.key.slice(0, 30)]) {
      assert.deepEqual(await found(key), [0, [id]], key);
    }
    assert.deepEqual(await found(generateApiKey()), [1, []]);
    const { out } = await admin('keys', 'find', id);
    assert.match(out, new RegExp(`^${id}  ${prefix}\\.\\.\\.  test  workspace ${account.workspaceId}  .*  active  never used\n$`));
  });

  it('the operator finds a key that is stored under a former secret key', async () => {
    const former = { SECRET_KEY: 'a'.repeat(40), SECRET_KEYS_OLD: app.deps.config.secretKey };
    const { out } = await runAdmin({ db: app.deps.db, env: former }, 'keys', 'find', account.key, '--json');
    assert.equal(JSON.parse(out).api_keys[0].id, id);
  });

  it('keys revoke ends a key at once, and writes one audit event of the operator with the reason', async () => {
    assert.equal((await admin('keys', 'revoke', id)).code, 2);
    assert.equal(await balance(), 200);
    const [shown] = await rows<{ key_prefix: string }>(app.deps.db, 'SELECT key_prefix FROM api_keys WHERE id = $1', [id]);
    for (const changed of [true, false]) {
      const { code, out } = await admin('keys', 'revoke', id, '--reason', 'leaked', '--json');
      const data = { api_key_id: id, key_prefix: shown?.key_prefix, workspace_id: account.workspaceId, revoked: true, changed };
      assert.deepEqual([code, JSON.parse(out)], [0, data]);
    }
    assert.equal(await balance(), 401);
    assert.deepEqual(await audited(), [{ actor_type: 'system', actor_name: 'operator', target_id: id, changes: { reason: 'leaked' } }]);
    assert.match((await admin('keys', 'find', id)).out, /  revoked  /);
    assert.match((await admin('keys', 'revoke', id, '--reason', 'leaked')).out, /was revoked already\.\n$/);
  });

  it('keys revoke takes a complete key from standard input, without printing it', async () => {
    const shown = await runWith(`${account.key}\n`, 'keys', 'find', '-', '--json');
    assert.equal(JSON.parse(shown.out).api_keys[0].id, id);
    const { code, out, err } = await runWith(`  ${account.key}  \nmore\n`, 'keys', 'revoke', '-', '--reason', 'leaked');
    assert.deepEqual([code, err], [0, '']);
    assert.ok(out.includes(`(${id})`) && out.endsWith('is revoked.\n'), out);
    assert.ok(!`${out}${shown.out}`.includes(account.key.slice(0, 13)));
    assert.equal(await balance(), 401);
    assert.equal((await runWith('', 'keys', 'revoke', '-', '--reason', 'leaked')).code, 2);
  });

  it('keys revoke refuses the prefix of a key, and prints no key that is mistyped or unknown', async () => {
    const mistyped = `${account.key.slice(0, -1)}${account.key.endsWith('0') ? '1' : '0'}`;
    for (const [key, code, why] of [
      [account.key.slice(0, 12), 2, /The key is incomplete or mistyped/],
      [mistyped, 2, /The key is incomplete or mistyped/],
      ['tidings_', 2, /The key must be the id/],
      [generateApiKey(), 1, /there is no such API key/],
    ] as const) {
      for (const json of [[], ['--json']]) {
        const refused = await admin('keys', 'revoke', key, '--reason', 'leaked', ...json);
        assert.equal(refused.code, code, key);
        assert.match(refused.out + refused.err, why);
        assert.ok(key.length < 13 || !(refused.out + refused.err).includes(key.slice(0, 13)));
      }
    }
    assert.equal(await balance(), 200);
    assert.deepEqual(await audited(), []);
  });
});
