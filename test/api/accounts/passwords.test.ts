import assert from 'node:assert/strict';
import { requestPasswordReset } from '../../../models/operations/accounts/request-token-mail.js';
import { mailToken } from '../../../models/rules/accounts/mail-token.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';

const email = 'Ada@Example.com';
const password = 'correct horse';
const forgot = '/api/v1/auth/forgot-password';
const reset = '/api/v1/auth/reset-password';
const login = '/api/v1/auth/login';

describe('forgotten passwords', () => {
  const app = useApi({ forEachTest: true });
  beforeEach(async () => {
    await app.call('POST', '/api/v1/auth/signup', { body: { email, password, company_name: 'Acme' } });
    app.calls.length = 0;
  });

  const mails = () =>
    rows<{ id: string; kind: string; token_id: string }>(app.deps.db, 'SELECT id, kind, token_id FROM mails ORDER BY created_at, id');
  const ask = (address = email) => app.call('POST', forgot, { body: { email: address } });
  const newestToken = async () => mailToken(app.deps.config.secretKey, (await mails()).at(-1)?.token_id ?? '');
  const use = (token: string, wanted = 'another horse') => app.call('POST', reset, { body: { token, password: wanted } });
  const logIn = async (secret: string) => (await app.call('POST', login, { body: { email, password: secret } })).status;

  describe('POST /auth/forgot-password', () => {
    it('200 for a forgotten password, alike for known and unknown addresses, and only known ones get a mail', async () => {
      const [known, unknown] = [await ask('aDA@example.com'), await ask('nobody@example.com')];
      assert.deepEqual([known.status, unknown.status], [200, 200]);
      assert.deepEqual(known.body, unknown.body);
      assert.deepEqual(Object.keys(known.body.data), ['message']);
      const [, mail, ...others] = await mails();
      assert.deepEqual([mail?.kind, others], ['reset_password', []]);
      assert.deepEqual(app.calls, [`mail ${mail?.id}`]);
    });
    it('a request for a forgotten password takes at least a tenth of a second, for known and unknown addresses', async () => {
      for (const address of [email, 'nobody@example.com']) {
        const startedAt = performance.now();
        await ask(address);
        assert.ok(performance.now() - startedAt >= 99, address);
      }
    });
    it('200 for a forgotten password without Temporal, and its mail waits in the outbox', async () => {
      app.deps.temporal.sendMail = async () => Promise.reject(new Error('away'));
      assert.equal((await ask()).status, 200);
      assert.equal((await mails()).length, 2);
    });
    it('400 for a forgotten password with an invalid address, or without one', async () => {
      const [invalid, missing] = [await ask('x'), await app.call('POST', forgot, { body: {} })];
      assert.deepEqual([invalid.status, invalid.body.error], [400, 'Invalid email address']);
      assert.deepEqual([missing.status, missing.body.error], [400, 'Missing required field: email']);
    });
    it('one address gets at most twenty mails an hour about a forgotten password', async () => {
      for (let time = 1; time <= 25; time += 1) await requestPasswordReset(app.deps, email, () => undefined);
      assert.equal((await mails()).length, 21);
      assert.equal((await ask()).status, 200);
    });
  });

  describe('POST /auth/reset-password', () => {
    it('200 for a password reset, which ends all sessions and mails the owner', async () => {
      const { body } = await app.call('POST', login, { body: { email, password } });
      await ask();
      const { status, body: answer } = await use(await newestToken());
      assert.deepEqual([status, Object.keys(answer.data)], [200, ['message']]);
      assert.deepEqual([await logIn(password), await logIn('another horse')], [401, 200]);
      const refused = await app.call('GET', '/api/v1/api-keys', { jwt: body.data.token });
      assert.deepEqual([refused.status, refused.body.error], [401, 'Invalid or expired token']);
      const mail = (await mails()).at(-1);
      assert.deepEqual([mail?.kind, mail?.token_id], ['password_changed', null]);
      assert.equal(app.calls.at(-1), `mail ${mail?.id}`);
    });
    it('200 for one of a hundred password resets at once with one token', async () => {
      await ask();
      const token = await newestToken();
      const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => use(token, `password ${index}`)));
      const passed = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
      assert.equal(passed.length, 1);
      assert.ok(answers.every(({ status, body }) => status === 200 || (status === 400 && body.error === 'Invalid or expired token')));
      assert.equal(await logIn(`password ${passed[0]}`), 200);
      const recorded = await rows(app.deps.db, `SELECT 1 FROM audit_events WHERE type = 'auth.password_reset'`);
      assert.equal(recorded.length, 1);
    });
    it('400 for a reset token that a newer one replaced, and one of five that were requested at once is valid', async () => {
      await ask();
      const older = await newestToken();
      await ask();
      const { status, body } = await use(older);
      assert.deepEqual([status, body.error], [400, 'Invalid or expired token']);
      await Promise.all(Array.from({ length: 5 }, () => ask()));
      const [{ n } = { n: 0 }] = await rows<{ n: number }>(
        app.deps.db,
        `SELECT count(*) AS n FROM mail_tokens WHERE purpose = 'reset' AND used_at IS NULL`,
      );
      assert.equal(n, 1);
    });
    it('400 for a reset token that is expired, invalid or of another purpose', async () => {
      await ask();
      await rows(app.deps.db, `UPDATE mail_tokens SET expires_at = expires_at - interval '59 minutes 50 seconds' WHERE purpose = 'reset'`);
      await rows(app.deps.db, `UPDATE mail_tokens SET expires_at = expires_at - interval '10 seconds' WHERE purpose = 'reset'`);
      const verify = mailToken(app.deps.config.secretKey, (await mails())[0]?.token_id ?? '');
      for (const token of [await newestToken(), verify, 'x', 'x'.repeat(10_000)]) {
        const { status, body } = await use(token);
        assert.deepEqual([status, body.error, body.code], [400, 'Invalid or expired token', 'validation_failed']);
      }
      assert.equal(await logIn(password), 200);
    });
    it('400 for a password reset with a bad password, and its token stays valid', async () => {
      await ask();
      const token = await newestToken();
      const short = await use(token, 'short');
      assert.deepEqual([short.status, short.body.error], [400, 'Password must be at least 8 characters']);
      const { status, body } = await app.call('POST', reset, { body: {} });
      assert.equal(status, 400);
      assert.deepEqual(
        body.details.map(({ message }: { message: string }) => message),
        ['Missing required field: token', 'Missing required field: password'],
      );
      assert.equal((await use(token)).status, 200);
    });
  });
});
