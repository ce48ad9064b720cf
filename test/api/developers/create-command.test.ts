import assert from 'node:assert/strict';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { rows } from '../../support/database.js';
import { runAdmin } from '../../support/run-admin.js';
import { useApi } from '../use-api.js';

describe("the operator's command workspace create", () => {
  const app = useApi({ env: { SIGNUP: 'closed', SIGNUP_CREDITS: '7', PUBLIC_URL: 'https://api.example.com', TRUSTED_PROXIES: 'none' } });
  const admin = (...args: string[]) => runAdmin(app.deps, 'workspace', 'create', ...args);
  const count = async () => (await rows<{ n: number }>(app.deps.db, 'SELECT count(*) AS n FROM workspaces'))[0]?.n;

  it('workspace create prints a link with which the owner sets a password once, and then logs in', async () => {
    const { code, out } = await admin('ada@example.com', '--company', 'Example', '--credits', '12.5', '--json');
    const { link, expires_at, ...created } = JSON.parse(out);
    const { workspace_id } = created;
    assert.deepEqual([code, created], [0, { workspace_id, email: 'ada@example.com', name: 'Example', balance: 12.5 }]);
    assert.match(link, /^https:\/\/api\.example\.com\/reset-password#token=[\w-]{43}$/);
    const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days <= 7);

    const login = (password: string) => app.call('POST', '/api/v1/auth/login', { body: { email: 'ada@example.com', password } });
    assert.equal((await login('-')).status, 401);
    const reset = { token: link.split('=')[1], password: 'correct horse' };
    assert.equal((await app.call('POST', '/api/v1/auth/reset-password', { body: reset })).status, 200);
    assert.equal((await app.call('POST', '/api/v1/auth/reset-password', { body: reset })).status, 400);
    const { body } = await login(reset.password);
    assert.deepEqual([body.data.workspace.email_verified, body.data.workspace.credits_balance], [true, 12.5]);
    const audit = await app.call('GET', '/api/v1/audit-events?type=workspace.created', { jwt: body.data.token });
    assert.deepEqual(audit.body.data.audit_events[0].actor, { type: 'system', id: null, name: 'operator' });
    await assertBooks(app.deps.db);
  });
  it('workspace create names the workspace after the domain and grants the signup credits by default', async () => {
    const { code, out } = await admin('grace@example.org');
    assert.equal(code, 0);
    assert.match(
      out,
      /^example\.org \([0-9a-f-]{36}\) was created for grace@example\.org with 7 credits\.\nIts owner .*:\nhttps:\/\/\S+\n$/,
    );
  });
  it('workspace create exits with 1 for a taken address in any case, and stores nothing', async () => {
    await admin('taken@example.com');
    const earlier = await count();
    const { code, err } = await admin('Taken@Example.com');
    assert.deepEqual([code, err, await count()], [1, 'Failed: Email already exists\n', earlier]);
  });
  it('workspace create exits with 2 for wrong arguments, and stores nothing', async () => {
    const earlier = await count();
    for (const args of [
      [],
      ['x'],
      ['a@example.com', 'b@example.com'],
      ['a@example.com', '--credits', '0'],
      ['a@example.com', '--company', ' '],
    ]) {
      assert.equal((await admin(...args)).code, 2, args.join(' '));
    }
    assert.equal(await count(), earlier);
  });
  it('the help names workspace create with its options', async () => {
    const { code, out } = await admin('--help');
    assert.equal(code, 0);
    assert.match(out, /^Usage: tidings-admin workspace create <email> \[--company NAME\] \[--credits N\] \[--json\]\n/);
  });
});
