import assert from 'node:assert/strict';
import { totpContext } from '../../../models/operations/logins/use-code.js';
import { digestRecoveryCode } from '../../../models/rules/accounts/totp.js';
import { encrypt } from '../../../models/rules/values/encryption.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { type Owner, owner, password } from './owner.js';
import { codeOf, enrol, setUp, wrongCode } from './second-factor.js';

describe('the second factor', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  let me: Owner;
  beforeEach(async () => {
    me = await owner(app);
  });

  const confirm = (code: string) => me.call('POST', '/auth/totp/confirm', { code });
  const inForce = async () => {
    const secondFactor = await enrol(me);
    // The period of the confirmation is over, so the code of the present one can be used.
    await rows(app.deps.db, 'UPDATE workspaces SET totp_step = totp_step - 1 WHERE id = $1', [me.workspaceId]);
    return secondFactor;
  };

  it('a new second factor has a secret, its URL and ten recovery codes, stored encrypted and hashed', async () => {
    const { secret, otpauth_url, recovery_codes } = await setUp(me);
    assert.match(secret, /^[A-Z2-7]{32}$/);
    const url = new URL(otpauth_url);
    assert.deepEqual([url.protocol, url.host, url.searchParams.get('secret')], ['otpauth:', 'totp', secret]);
    assert.equal(new Set(recovery_codes).size, 10);
    const stored = await rows<{ row: string }>(
      app.deps.db,
      `SELECT (SELECT row_to_json(w)::text FROM workspaces w WHERE id = $1) ||
              (SELECT json_agg(c)::text FROM recovery_codes c WHERE workspace_id = $1) AS row`,
      [me.workspaceId],
    );
    const text = stored[0]?.row ?? '';
    assert.ok(text.length > 100 && !text.includes(secret) && !text.includes(Buffer.from(secret).toString('hex')));
    for (const code of recovery_codes) assert.ok(!text.includes(code));
  });
  it('the second factor is not required before a code confirms it', async () => {
    const { secret } = await setUp(me);
    assert.equal((await me.logIn()).status, 200);
    const { status, body } = await confirm(wrongCode(secret));
    assert.deepEqual([status, body.error, body.details[0].field], [400, 'Invalid verification code', 'code']);
    assert.equal((await me.logIn()).status, 200);
  });
  it('409 for a second factor beside another, and for a confirmation without one', async () => {
    assert.equal((await confirm('000000')).status, 409);
    await inForce();
    assert.equal((await me.call('POST', '/auth/totp')).status, 409);
    assert.equal((await confirm('000000')).status, 409);
  });
  it('401 for a login without the code of the second factor, and 200 once with a code', async () => {
    const { secret } = await inForce();
    for (const given of [{}, { code: null }, { code: '' }]) {
      const without = await me.logIn(password, given);
      assert.deepEqual([without.status, without.body.error, without.body.code], [401, 'Verification code required', 'code_required']);
    }
    const wrongPassword = await me.logIn('wrong horse', { code: codeOf(secret) });
    assert.equal(wrongPassword.body.error, 'Invalid email or password');
    const code = codeOf(secret);
    assert.equal((await me.logIn(password, { code })).status, 200);
    const again = await me.logIn(password, { code });
    assert.deepEqual([again.status, again.body.error], [401, 'Invalid verification code']);
    assert.equal((await me.logIn(password, { code: codeOf(secret, 1) })).status, 200);
  });
  it('401 for a login with the code that confirmed the second factor', async () => {
    const { secret } = await setUp(me);
    const code = codeOf(secret);
    await confirm(code);
    assert.equal((await me.logIn(password, { code })).status, 401);
  });
  it('200 for one of four logins at once with one code', async () => {
    const { secret } = await inForce();
    const code = codeOf(secret);
    const answers = await Promise.all(Array.from({ length: 4 }, () => me.logIn(password, { code })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });
  it('200 once for a login with each recovery code, in any spelling', async () => {
    const {
      recovery_codes: [first = '', second = ''],
    } = await inForce();
    assert.equal((await me.logIn(password, { code: first })).status, 200);
    assert.equal((await me.logIn(password, { code: first })).status, 401);
    assert.equal((await me.logIn(password, { code: ` ${second.toUpperCase().replaceAll('-', ' ')} ` })).status, 200);
  });
  it('429 for a login after five wrong codes of the second factor', async () => {
    const { secret } = await inForce();
    const statuses: number[] = [];
    for (let time = 1; time <= 6; time += 1) statuses.push((await me.logIn(password, { code: wrongCode(secret) })).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
    assert.equal((await me.logIn(password, { code: codeOf(secret) })).status, 429);
  });
  it('429 after five wrong codes of the second factor, also if the password was reset between them', async () => {
    const { secret } = await inForce();
    const reset = 'another horse';
    const tries: number[] = [];
    for (const address of ['198.51.100.9', '203.0.113.9']) {
      assert.equal((await me.reset(reset, address)).status, 200);
      for (let time = 1; time <= 4; time += 1) tries.push((await me.logIn(reset, { code: wrongCode(secret) }, address)).status);
    }
    assert.deepEqual(tries, [401, 401, 401, 401, 401, 429, 429, 429]);
  });
  it('200 for the removal of the second factor with a code, and logins need none afterwards', async () => {
    assert.equal((await me.call('DELETE', '/auth/totp', { code: '000000' })).status, 409);
    const { secret } = await inForce();
    assert.equal((await me.call('DELETE', '/auth/totp', { code: wrongCode(secret) })).body.error, 'Invalid verification code');
    assert.equal((await me.call('DELETE', '/auth/totp', { code: codeOf(secret) })).status, 200);
    assert.equal((await me.logIn()).status, 200);
    const { body } = await me.call('GET', '/audit-events?type=auth.totp_enabled,auth.totp_disabled');
    assert.deepEqual(
      body.data.audit_events.map(({ type }: { type: string }) => type),
      ['auth.totp_disabled', 'auth.totp_enabled'],
    );
  });

  it('the second factor mails the owner when it is enabled and when it is disabled', async () => {
    const { secret } = await inForce();
    assert.deepEqual((await me.mails()).slice(-1), ['totp_enabled']);
    await me.call('DELETE', '/auth/totp', { code: codeOf(secret) });
    assert.deepEqual((await me.mails()).slice(-2), ['totp_enabled', 'totp_disabled']);
  });
  it('the reset of an unverified account records that the second factor ended, and tells the owner', async () => {
    for (const confirms of [true, false]) {
      me = await owner(app, { verified: false });
      await (confirms ? enrol(me) : setUp(me));
      assert.equal((await me.reset('another horse', '198.51.100.9')).status, 200);
      const { body } = await me.logIn('another horse');
      const { body: audit } = await me.call('GET', '/audit-events?type=auth.totp_disabled', undefined, { jwt: body.data.token });
      const [mail] = await rows<{ detail: object }>(
        app.deps.db,
        `SELECT detail FROM mails WHERE workspace_id = $1 AND kind = 'password_changed'`,
        [me.workspaceId],
      );
      assert.deepEqual(
        audit.data.audit_events.map(({ actor, address }: { actor: { id: string }; address: string }) => [actor.id, address]),
        confirms ? [[me.workspaceId, '198.51.100.9']] : [],
      );
      assert.deepEqual(mail?.detail, { keys: [], webhooks: [], ...(confirms ? { totp_disabled: true } : {}) });
    }
  });
  it('200 for a login and for the removal with recovery codes when the secret of the second factor cannot be read', async () => {
    const {
      secret,
      recovery_codes: [first = '', second = ''],
    } = await inForce();
    const sealed = encrypt('x'.repeat(32), totpContext(me.workspaceId), secret);
    await rows(app.deps.db, 'UPDATE workspaces SET totp_secret = $2 WHERE id = $1', [me.workspaceId, sealed]);
    assert.equal((await me.logIn(password, { code: codeOf(secret) })).status, 500);
    assert.equal((await me.logIn(password, { code: first })).status, 200);
    assert.equal((await me.call('DELETE', '/auth/totp', { code: second })).status, 200);
  });
  it('200 once for a recovery code of the former length', async () => {
    await inForce();
    const stored = [me.workspaceId, digestRecoveryCode(me.workspaceId, 'abcde-fghij')];
    await rows(app.deps.db, 'INSERT INTO recovery_codes (workspace_id, digest) VALUES ($1, $2)', stored);
    assert.equal((await me.logIn(password, { code: 'ABCDE FGHIJ' })).status, 200);
    assert.equal((await me.logIn(password, { code: 'abcde-fghij' })).status, 401);
  });

  describe('its state', () => {
    const state = async (whose = me) => {
      const { status, body } = await app.call('GET', '/console/session/totp', { jwt: whose.jwt });
      assert.equal(status, 200);
      return body.data.totp as { enabled_at: string | null; recovery_codes_left: number };
    };
    const off = { enabled_at: null, recovery_codes_left: 0 };

    it('the state of the second factor is null until a code confirms it, and after its removal', async () => {
      assert.deepEqual(await state(), off);
      const { secret } = await setUp(me);
      assert.deepEqual(await state(), off, 'it is only offered');
      await confirm(codeOf(secret));
      const { enabled_at: at } = await state();
      const [stored] = await rows<{ at: Date }>(app.deps.db, 'SELECT totp_confirmed_at AS at FROM workspaces WHERE id = $1', [
        me.workspaceId,
      ]);
      assert.equal(at, stored?.at.toISOString());
      await me.call('DELETE', '/auth/totp', { code: codeOf(secret, 1) });
      assert.deepEqual(await state(), off);
    });
    it('the state of the second factor has the number of unused recovery codes, of this workspace only', async () => {
      const {
        recovery_codes: [first = ''],
      } = await inForce();
      assert.equal((await state()).recovery_codes_left, 10);
      await me.logIn(password, { code: first });
      await me.logIn(password, { code: first });
      assert.equal((await state()).recovery_codes_left, 9);
      assert.deepEqual(await state(await owner(app)), off);
    });
  });
});
