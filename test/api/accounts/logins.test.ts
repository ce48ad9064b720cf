import assert from 'node:assert/strict';
import { createWorkspace } from '../../../models/operations/accounts/create-workspace.js';
import { forgetLogins } from '../../../models/operations/logins/forget-logins.js';
import { systemOrigin } from '../../../models/rules/audit/origin.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { type Owner, owner, password } from './owner.js';
import { codeOf, enrol } from './second-factor.js';

const ip = (number: number) => `203.0.${Math.floor(number / 250)}.${(number % 250) + 1}`;

describe('logins', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  let me: Owner;
  beforeEach(async () => {
    me = await owner(app);
  });

  const logIn = (email: string, secret: string, address: string) =>
    app.call('POST', '/api/v1/auth/login', { headers: { 'X-Forwarded-For': address }, body: { email, password: secret } });
  const reset = (address: string) => me.reset('another horse', address);
  const elapse = (seconds: number) =>
    rows(app.deps.db, "UPDATE login_tries SET blocked_until = blocked_until - $1 * interval '1 second'", [seconds]);

  for (const who of ['known', 'unknown']) {
    it(`429 after five wrong passwords from five addresses, for an ${who} e-mail`, async () => {
      const email = who === 'known' ? me.email : `nobody-${me.email}`;
      const answers = [];
      for (let time = 1; time <= 7; time += 1) answers.push(await logIn(email, 'wrong horse', ip(time)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [401, 401, 401, 401, 401, 429, 429],
      );
      const [, , , , , locked] = answers;
      const seconds = Number(locked?.headers.get('retry-after'));
      assert.equal(locked?.headers.get('x-ratelimit-remaining'), '0');
      const resetInSeconds = Number(locked.headers.get('x-ratelimit-reset')) - Date.now() / 1000;
      assert.ok(resetInSeconds <= seconds + 1, `the headers name the end of the lock, not of a window: ${resetInSeconds} s`);
      assert.ok(seconds > 25 && seconds <= 30, `${seconds} s`);
      assert.equal(locked?.body.error, `Rate limit exceeded. Try again in ${seconds} seconds.`);
      assert.equal((await logIn(email.toUpperCase(), password, ip(8))).status, 429);
    });
  }
  it('the wait for a login doubles after each wrong password, up to 15 minutes', async () => {
    const pauses: number[] = [];
    for (let time = 1; time <= 12; time += 1) {
      assert.equal((await logIn(me.email, 'wrong horse', ip(time))).status, 401);
      if (time < 5) continue;
      const locked = await logIn(me.email, 'wrong horse', ip(time));
      const seconds = Number(locked.headers.get('retry-after'));
      pauses.push(Math.ceil(seconds / 30) * 30);
      await elapse(seconds);
    }
    assert.deepEqual(pauses, [30, 60, 120, 240, 480, 900, 900, 900]);
  });
  it('a right password clears the count of wrong ones', async () => {
    for (let round = 1; round <= 3; round += 1) {
      for (let time = 1; time <= 4; time += 1) await logIn(me.email, 'wrong horse', ip(time));
      assert.equal((await me.logIn()).status, 200);
    }
  });
  it('at most 40 of 300 guesses from 200 addresses are checked, and a reset lets the owner in', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => logIn(me.email, `wrong horse ${index}`, ip(index % 200))));
    const tried = answers.filter(({ status }) => status === 401).length;
    assert.ok(tried >= 1 && tried <= 40, `${tried} were tried`);
    assert.ok(answers.every(({ status }) => [401, 429, 503].includes(status)));
    assert.equal((await reset('198.51.100.9')).status, 200);
    for (let time = 1; time <= 10; time += 1) await logIn(me.email, 'wrong horse', ip(time));
    assert.equal((await logIn(me.email, 'another horse', ip(300))).status, 429);
    assert.equal((await logIn(me.email, 'another horse', '198.51.100.9')).status, 200);
  });
  it('429 after five wrong passwords, also for the client that has reset the password', async () => {
    await reset('198.51.100.9');
    const statuses: number[] = [];
    for (let time = 1; time <= 6; time += 1) statuses.push((await logIn(me.email, 'wrong horse', '198.51.100.9')).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
  });

  // That both take the same time is measured by `npm run bench:attack`: a test cannot distinguish a slow machine from a leak.
  it('a failed login takes at least a tenth of a second, for known and unknown addresses', async () => {
    for (const email of [me.email, 'nobody@example.com']) {
      const startedAt = performance.now();
      assert.equal((await logIn(email, 'wrong horse', ip(1))).status, 401);
      assert.ok(performance.now() - startedAt >= 99, email);
    }
  });

  it('failed logins are recorded, and one mail tells the owner of the lock', async () => {
    for (let time = 1; time <= 6; time += 1) await logIn(me.email, 'wrong horse', ip(time));
    await elapse(3600);
    await logIn(me.email, 'wrong horse', ip(7));
    const { body } = await me.call('GET', '/audit-events?type=auth.login_failed');
    assert.deepEqual(
      body.data.audit_events.map(({ changes, actor, address }: { changes: object; actor: { id: null }; address: string }) => [
        changes,
        actor.id,
        address,
      ]),
      [
        [{ tries: 6, locked_seconds: 60 }, null, ip(7)],
        [{ tries: 5, locked_seconds: 30 }, null, ip(5)],
        ...[4, 3, 2, 1].map((tries) => [{ tries, locked_seconds: 0 }, null, ip(tries)]),
      ],
    );
    assert.deepEqual(await me.mails(), ['verify_email', 'login_locked']);
  });
  it('the owner gets a mail about a login from a new address, and none about one from a known address', async () => {
    for (const address of ['198.51.100.1', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '198.51.100.1'])
      assert.equal((await me.logIn(password, {}, address)).status, 200);
    assert.deepEqual(await me.mails(), ['verify_email', 'new_login', 'new_login']);
    const stored = await rows<{ row: string }>(app.deps.db, 'SELECT row_to_json(l)::text AS row FROM login_addresses l');
    assert.ok(stored.every(({ row }) => !row.includes('198.51') && !row.includes('2001:')));
  });
  it('the owner gets a mail about a login from a new address after half a year without one', async () => {
    await rows(app.deps.db, "UPDATE login_addresses SET last_at = last_at - interval '181 days' WHERE workspace_id = $1", [me.workspaceId]);
    await forgetLogins(app.deps.db);
    assert.equal((await me.logIn(password, {}, '203.0.113.9')).status, 200);
    assert.deepEqual(await me.mails(), ['verify_email', 'new_login']);
  });
  it('the owner gets a mail about the first login to an account that an operator made', async () => {
    const { db, config } = app.deps;
    const wanted = { email: 'made@example.com', name: 'Acme', credits: { amount: 0, description: '' } };
    const { workspace, token } = await createWorkspace(db, config.secretKey, wanted, systemOrigin('operator'));
    await app.call('POST', '/api/v1/auth/reset-password', { body: { token, password } });
    assert.equal((await logIn(wanted.email, password, ip(1))).status, 200);
    assert.equal((await logIn(wanted.email, password, ip(1))).status, 200);
    const mails = await rows<{ kind: string }>(db, 'SELECT kind FROM mails WHERE workspace_id = $1 ORDER BY created_at, id', [
      workspace.id,
    ]);
    assert.deepEqual(
      mails.map(({ kind }) => kind),
      ['password_changed', 'new_login'],
    );
  });
  it('a login with a recovery code is recorded as one, with the number of those left, and mails the owner', async () => {
    const {
      secret,
      recovery_codes: [first = '', second = ''],
    } = await enrol(me);
    for (const code of [codeOf(secret, 1), first, second]) assert.equal((await me.logIn(password, { code })).status, 200);
    const { body } = await me.call('GET', '/audit-events?type=auth.login');
    assert.deepEqual(
      body.data.audit_events.map(({ changes }: { changes: object | null }) => changes),
      [{ method: 'recovery_code', recovery_codes_left: 8 }, { method: 'recovery_code', recovery_codes_left: 9 }, null, null],
    );
    const mails = await rows<{ detail: object }>(
      app.deps.db,
      `SELECT detail FROM mails WHERE workspace_id = $1 AND kind = 'recovery_code_used' ORDER BY id`,
      [me.workspaceId],
    );
    assert.deepEqual(
      mails.map(({ detail }) => detail),
      [9, 8].map((recovery_codes_left) => ({ address: '198.51.100.1', recovery_codes_left })),
    );
  });
  it('the owner gets a mail about each new API key, but at most about twenty an hour', async () => {
    await Promise.all(Array.from({ length: 22 }, (_, index) => me.call('POST', '/api-keys', { name: `k${index}` })));
    const mails = await me.mails();
    assert.ok(mails.filter((kind) => kind === 'new_api_key').length >= 20);
    await me.call('POST', '/api-keys', { name: 'last' });
    assert.equal((await me.mails()).length, mails.length);
  });
});
