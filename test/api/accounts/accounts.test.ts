import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';
import { mailToken } from '../../../models/rules/accounts/mail-token.js';
import { Workspace } from '../../../models/tables/workspace.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';

const good = { email: 'Ada@Example.com', password: 'correct horse', company_name: ' Analytical Engines ' };
const signup = '/api/v1/auth/signup';
const login = '/api/v1/auth/login';
const verify = '/api/v1/auth/verify-email';
const keys = '/api/v1/api-keys';

describe('accounts', () => {
  const app = useApi({ env: { SIGNUP_CREDITS: '12.5' }, forEachTest: true });
  const count = async (table: string) => (await rows<{ n: number }>(app.deps.db, `SELECT count(*) AS n FROM ${table}`))[0]?.n;

  describe('POST /api/v1/auth/signup', () => {
    it('201 for a sign-up, which creates a workspace with credits and sends a mail', async () => {
      const { status, body } = await app.call('POST', signup, {
        body: { ...good, phone: '+15551234567', country: 'DE', email_verified: true, balance: 5 },
      });
      assert.equal(status, 201);
      const { id, ...workspace } = body.data.workspace;
      assert.deepEqual(workspace, { name: 'Analytical Engines', email: 'Ada@Example.com', email_verified: false, credits_balance: 12.5 });
      const entries = await rows(app.deps.db, 'SELECT kind, amount, balance_after, reference, description FROM credit_entries');
      assert.deepEqual(entries, [{ kind: 'grant', amount: 12_500, balance_after: 12_500, reference: id, description: 'Signup credits' }]);
      const [mail] = await rows<{ id: string; kind: string }>(app.deps.db, 'SELECT id, kind FROM mails');
      assert.equal(mail?.kind, 'verify_email');
      assert.deepEqual(app.calls, [`mail ${mail?.id}`]);
    });
    it('201 for a sign-up without Temporal, and its mail waits in the outbox', async () => {
      app.deps.temporal.sendMail = async () => Promise.reject(new Error('away'));
      assert.equal((await app.call('POST', signup, { body: good })).status, 201);
      assert.equal(await count('mails'), 1);
    });
    it('400 for a sign-up with a taken address in any case, and nothing is stored', async () => {
      await app.call('POST', signup, { body: good });
      const { status, body } = await app.call('POST', signup, { body: { ...good, email: 'aDA@eXAMPLE.COM' } });
      assert.deepEqual([status, body.error, body.code, body.details[0].field], [400, 'Email already exists', 'email_exists', 'email']);
      assert.deepEqual(
        [await count('workspaces'), await count('credit_entries'), await count('mails'), await count('mail_tokens')],
        [1, 1, 1, 1],
      );
    });
    it('ten equal sign-ups at once create one workspace', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => app.call('POST', signup, { body: good })));
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((one, other) => one - other),
        [201, ...Array.from({ length: 9 }, () => 400)],
      );
      assert.deepEqual([await count('workspaces'), await count('credit_entries'), await count('mails')], [1, 1, 1]);
    });
    const refused: [object, string][] = [
      [{ email: 'x' }, 'Invalid email address'],
      [{ email: null }, 'Missing required field: email'],
      [{ password: '1234567' }, 'Password must be at least 8 characters'],
      [{ password: '😀'.repeat(7) }, 'Password must be at least 8 characters'],
      [{ password: 'x'.repeat(129) }, 'Password must be at most 128 characters'],
      [{ password: '' }, 'Missing required field: password'],
      [{ password: 12_345_678 }, 'password must be a string'],
      [{ company_name: ' ' }, 'Missing required field: company_name'],
      [{ company_name: 'x\0' }, 'company_name must be valid text'],
      [{ company_name: 'x'.repeat(256) }, 'company_name must be at most 255 characters'],
      [{ company_name: ` ${'x'.repeat(255)}` }, 'company_name must be at most 255 characters'],
      [{ phone: '555' }, 'Phone number must be in E.164 format'],
      [{ phone: '' }, 'Phone number must be in E.164 format'],
      [{ country: 'Germany' }, 'Invalid country. Must be an ISO 3166 two-letter code'],
    ];
    for (const [change, text] of refused) {
      it(`a sign-up with ${JSON.stringify(change).slice(0, 40)} gets 400 ${text}`, async () => {
        const { status, body } = await app.call('POST', signup, { body: { ...good, ...change } });
        assert.deepEqual([status, body.error], [400, text]);
        assert.equal(await count('workspaces'), 0);
      });
    }
    it('201 for a sign-up without phone and country, and with a password of 128 characters', async () => {
      assert.equal((await app.call('POST', signup, { body: { ...good, password: '😀'.repeat(128), phone: null } })).status, 201);
    });
  });

  describe('POST /api/v1/auth/login', () => {
    beforeEach(() => app.call('POST', signup, { body: good }));
    it('200 for a login, with a JWT that is valid for 30 days', async () => {
      const { status, body } = await app.call('POST', login, { body: { email: 'ada@example.com', password: good.password } });
      assert.equal(status, 200);
      assert.equal(body.data.workspace.email_verified, false);
      const { header, payload } = jwt.decode(body.data.token, { complete: true }) as jwt.Jwt & { payload: jwt.JwtPayload };
      assert.equal(header.alg, 'HS256');
      assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 30 * 86_400);
      assert.equal((await app.call('GET', keys, { jwt: body.data.token })).status, 200);
    });
    it('401 for a login, alike for a wrong password and an unknown address', async () => {
      const wrong = await app.call('POST', login, { body: { email: good.email, password: 'wrong horse' } });
      const unknown = await app.call('POST', login, { body: { email: 'nobody@example.com', password: 'wrong horse' } });
      assert.deepEqual([wrong.status, unknown.status], [401, 401]);
      assert.equal(wrong.body.error, 'Invalid email or password');
      assert.deepEqual({ ...wrong.body, request_id: '' }, { ...unknown.body, request_id: '' });
    });
    it('400 for a login without address and password', async () => {
      const { status, body } = await app.call('POST', login, { body: {} });
      assert.equal(status, 400);
      assert.deepEqual(
        body.details.map(({ message }: { message: string }) => message),
        ['Missing required field: email', 'Missing required field: password'],
      );
    });
  });

  describe('POST /api/v1/auth/verify-email', () => {
    const token = async () => {
      const [row] = await rows<{ id: string }>(app.deps.db, 'SELECT id FROM mail_tokens');
      return mailToken(app.deps.config.secretKey, row?.id ?? '');
    };
    const refusal = async (body: object) => {
      const { status, body: answer } = await app.call('POST', verify, { body });
      return [status, answer.error];
    };
    beforeEach(() => app.call('POST', signup, { body: good }));
    it('200 for one of ten verifications at once with one token, and 400 for the others', async () => {
      const body = { token: await token() };
      const answers = await Promise.all(Array.from({ length: 10 }, () => app.call('POST', verify, { body })));
      const passed = answers.filter(({ status }) => status === 200);
      assert.equal(passed.length, 1);
      assert.equal(passed[0]?.body.data.workspace.email_verified, true);
      const refused = answers.find(({ status }) => status !== 200);
      assert.deepEqual([refused?.status, refused?.body.error, refused?.body.code], [400, 'Invalid or expired token', 'validation_failed']);
    });
    it('400 for a verification with an expired token, or with one of another purpose', async () => {
      const body = { token: await token() };
      await app.deps.db.query(`UPDATE mail_tokens SET expires_at = now() - interval '1 second'`);
      assert.deepEqual(await refusal(body), [400, 'Invalid or expired token']);
      await app.deps.db.query(`UPDATE mail_tokens SET expires_at = now() + interval '1 hour', purpose = 'reset'`);
      assert.deepEqual(await refusal(body), [400, 'Invalid or expired token']);
    });
    it('400 for a verification with an invalid token, or without one', async () => {
      assert.deepEqual(await refusal({ token: 'x' }), [400, 'Invalid or expired token']);
      assert.deepEqual(await refusal({}), [400, 'Missing required field: token']);
    });
  });

  it('401 for a JWT after the token version changed', async () => {
    const { jwt: token, workspaceId } = await app.account();
    await Workspace.update({ token_version: 1 }, { where: { id: workspaceId } });
    const { status, body } = await app.call('GET', keys, { jwt: token });
    assert.deepEqual([status, body.error], [401, 'Invalid or expired token']);
  });
});
