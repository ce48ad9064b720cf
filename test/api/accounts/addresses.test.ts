import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { type Owner, owner, password } from './owner.js';

describe('e-mail addresses of accounts', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  let me: Owner;
  beforeEach(async () => {
    me = await owner(app, { verified: false });
  });

  const verify = (token: string) => app.call('POST', '/api/v1/auth/verify-email', { body: { token } });
  const resend = (email: string) => app.call('POST', '/api/v1/auth/resend-verification', { body: { email } });

  describe('POST /auth/resend-verification', () => {
    it('200 for another verification mail, whose token replaces the earlier one', async () => {
      const first = await me.token('verify_email');
      assert.equal((await resend(me.email.toUpperCase())).status, 200);
      assert.equal((await verify(first)).body.error, 'Invalid or expired token');
      assert.equal((await verify(await me.token('verify_email'))).body.data.workspace.email_verified, true);
    });
    it('200 without a verification mail for unknown and for verified addresses', async () => {
      const other = await owner(app);
      const answers = [await resend(me.email), await resend('nobody@example.com'), await resend(other.email)];
      assert.equal(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size, 1);
      assert.equal(answers[0]?.status, 200);
      assert.deepEqual(await other.mails(), ['verify_email']);
    });
    it('one address gets at most twenty verification mails an hour', async () => {
      await Promise.all(Array.from({ length: 25 }, () => resend(me.email)));
      assert.equal((await me.mails()).length, 20);
    });
  });

  describe('POST /auth/change-email', () => {
    const ask = (email: string, current_password = password) => me.call('POST', '/auth/change-email', { email, current_password });
    const recipients = () =>
      rows<{ kind: string; recipient: string | null }>(
        app.deps.db,
        `SELECT kind, recipient FROM mails WHERE workspace_id = $1 AND recipient IS NOT NULL ORDER BY kind`,
        [me.workspaceId],
      );
    it('200 for a change of address: both get a mail, and the new one holds once it is confirmed', async () => {
      const wanted = `new-${me.email}`;
      assert.equal((await ask(wanted)).status, 200);
      assert.deepEqual(await recipients(), [
        { kind: 'change_email', recipient: wanted },
        { kind: 'email_change_asked', recipient: me.email },
      ]);
      assert.equal((await me.logIn()).status, 200);
      const { body } = await verify(await me.token('change_email'));
      assert.deepEqual([body.data.workspace.email, body.data.workspace.email_verified], [wanted, true]);
      assert.equal((await me.logIn()).status, 401);
      const login = await app.call('POST', '/api/v1/auth/login', { body: { email: wanted, password } });
      assert.equal(login.status, 200);
      const { body: audit } = await me.call('GET', '/audit-events?type=workspace.email_changed');
      assert.equal(audit.data.audit_events.length, 1);
    });
    it('400 for a change to an address that is taken at the request or at the confirmation', async () => {
      const other = await owner(app);
      assert.equal((await ask(other.email)).body.error, 'Email already exists');
      const wanted = `late-${me.email}`;
      await ask(wanted);
      await app.call('POST', '/api/v1/auth/signup', { body: { email: wanted, password, company_name: 'x' } });
      const { status, body } = await verify(await me.token('change_email'));
      assert.deepEqual([status, body.error, body.code], [400, 'Email already exists', 'email_exists']);
      assert.equal((await me.logIn()).status, 200);
    });
    it('401 for a change of address with a wrong password, and no mail is sent', async () => {
      const { status, body } = await ask('x@example.com', 'wrong horse');
      assert.deepEqual([status, body.error], [401, 'Invalid email or password']);
      assert.deepEqual(await me.mails(), ['verify_email']);
    });
    it('400 for the confirmation of a new address after the password changed', async () => {
      await ask(`changed-${me.email}`);
      const changed = await me.token('change_email');
      await me.call('PUT', '/auth/password', { current_password: password, password: 'another horse' });
      const refused = await verify(changed);
      assert.deepEqual([refused.status, refused.body.error], [400, 'Invalid or expired token']);
      const other = await owner(app);
      await other.call('POST', '/auth/change-email', { email: `thief-${me.email}`, current_password: password });
      const thief = await other.token('change_email');
      await app.call('POST', '/api/v1/auth/forgot-password', { body: { email: other.email } });
      const body = { token: await other.token('reset_password'), password: 'another horse' };
      assert.equal((await app.call('POST', '/api/v1/auth/reset-password', { body })).status, 200);
      assert.equal((await verify(thief)).status, 400);
    });
  });

  describe('POST /auth/reset-password', () => {
    const reset = async (of: Owner, more: object = {}) => {
      await app.call('POST', '/api/v1/auth/forgot-password', { body: { email: of.email } });
      const body = { token: await of.token('reset_password'), password: 'another horse', ...more };
      return app.call('POST', '/api/v1/auth/reset-password', { body });
    };
    const hook = { url: 'https://8.8.8.8/secret-path', events: ['message.sent'] };
    const detail = async (of: Owner) =>
      (
        await rows<{ detail: { keys: string[]; webhooks: string[] } }>(
          app.deps.db,
          `SELECT detail FROM mails WHERE workspace_id = $1 AND kind = 'password_changed'`,
          [of.workspaceId],
        )
      )[0]?.detail;

    it('a password reset ends keys, webhooks and second factor of an account that was never verified', async () => {
      const { key } = (await me.call('POST', '/api-keys', { name: 'attacker' })).body.data;
      const { id } = (await me.call('POST', '/webhooks', hook)).body.data.webhook;
      await rows(app.deps.db, `UPDATE workspaces SET totp_secret = '\\x00', totp_confirmed_at = now() WHERE id = $1`, [me.workspaceId]);
      assert.equal((await reset(me)).status, 200);
      const used = await app.call('GET', '/api/v1/messages', { key });
      assert.deepEqual([used.status, used.body.error], [401, 'API key has been deactivated']);
      const { body } = await me.logIn('another horse');
      assert.equal(body.data.workspace.email_verified, true);
      const webhook = await app.call('GET', `/api/v1/webhooks/${id}`, { jwt: body.data.token });
      assert.equal(webhook.body.data.webhook.is_active, false);
      assert.deepEqual(await detail(me), { keys: [], webhooks: [], totp_disabled: true });
    });
    it('a password reset keeps keys and webhooks of a verified account, and lists them in its mail', async () => {
      const verified = await owner(app);
      const { key, key_prefix } = (await verified.call('POST', '/api-keys', { name: 'CI' })).body.data;
      await verified.call('POST', '/webhooks', hook);
      await reset(verified);
      assert.equal((await app.call('GET', '/api/v1/messages', { key })).status, 200);
      assert.deepEqual(await detail(verified), { keys: [`${key_prefix} CI`], webhooks: ['https://8.8.8.8'] });
    });
    it('a password reset with revoke_api_keys revokes every API key', async () => {
      const verified = await owner(app);
      const { key } = (await verified.call('POST', '/api-keys', { name: 'CI' })).body.data;
      await verified.call('POST', '/webhooks', hook);
      assert.equal((await reset(verified, { revoke_api_keys: true })).status, 200);
      assert.equal((await app.call('GET', '/api/v1/messages', { key })).status, 401);
      assert.deepEqual(await detail(verified), { keys: [], webhooks: ['https://8.8.8.8'] });
    });
    it('400 for a password reset whose revoke_api_keys is no boolean', async () => {
      const { status, body } = await reset(me, { revoke_api_keys: 'yes' });
      assert.deepEqual([status, body.error], [400, 'revoke_api_keys must be a boolean']);
    });
  });
});
