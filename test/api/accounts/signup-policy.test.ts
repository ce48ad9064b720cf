import assert from 'node:assert/strict';
import type { ConfigError } from '../../../models/settings/config.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';

const signup = '/api/v1/auth/signup';
const password = 'correct horse';
const body = (email: string) => ({ email, password, company_name: 'Example' });
const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

describe('SIGNUP=closed', () => {
  const app = useApi({ env: { SIGNUP: 'closed' } });
  it('403 for every sign-up with SIGNUP=closed, valid or not, and nothing is stored', async () => {
    for (const sent of [body('ada@example.com'), {}]) {
      const answer = await app.call('POST', signup, { body: sent });
      assert.deepEqual([answer.status, answer.body.code], [403, 'forbidden']);
      assert.equal(answer.body.error, 'Sign-up is closed. Ask the operator for an account');
    }
    assert.deepEqual(await rows(app.deps.db, 'SELECT id FROM workspaces'), []);
  });
  it('201 for a send of an existing account with SIGNUP=closed', async () => {
    const { key } = await app.account();
    assert.equal((await app.call('POST', '/api/v1/messages/send', { key, body: sms })).status, 201);
  });
});

describe('SIGNUP=verified-domain', () => {
  const app = useApi({ env: { SIGNUP: 'verified-domain:Example.com,example.org' } });
  const refusal = 'Sign-up is only for e-mail addresses at example.com, example.org';

  it('201 for a sign-up in the domains of SIGNUP=verified-domain, in any case', async () => {
    for (const email of ['ada@example.com', 'GRACE@EXAMPLE.ORG']) {
      assert.equal((await app.call('POST', signup, { body: body(email) })).status, 201);
    }
  });
  for (const email of ['a@other.com', 'a@sub.example.com', 'a@notexample.com', 'example.com@other.com', 'a@example.com.other.com']) {
    it(`403 for a sign-up of ${email} with SIGNUP=verified-domain`, async () => {
      const answer = await app.call('POST', signup, { body: body(email) });
      assert.deepEqual([answer.status, answer.body.code, answer.body.error], [403, 'forbidden', refusal]);
      assert.deepEqual(await rows(app.deps.db, 'SELECT id FROM workspaces WHERE email = $1', [email]), []);
    });
  }
  it('400 for an invalid sign-up, before the 403 for another domain', async () => {
    assert.equal((await app.call('POST', signup, { body: { ...body('a@other.com'), password: 'short' } })).status, 400);
  });
  it('403 for sends with SIGNUP=verified-domain until the address is verified', async () => {
    const { key, workspaceId } = await app.account();
    const send = () => app.call('POST', '/api/v1/messages/send', { key, body: sms });
    const refused = await send();
    assert.deepEqual([refused.status, refused.body.error], [403, 'Verify your email address first']);
    await rows(app.deps.db, 'UPDATE workspaces SET email_verified = true WHERE id = $1', [workspaceId]);
    assert.equal((await send()).status, 201);
  });
  it('403 for a change of address to another domain with SIGNUP=verified-domain', async () => {
    const { jwt } = await app.account();
    const change = { email: 'a@other.com', current_password: password };
    const answer = await app.call('POST', '/api/v1/auth/change-email', { jwt, body: change });
    assert.deepEqual([answer.status, answer.body.error], [403, refusal]);
  });
});

describe('the setting SIGNUP', () => {
  for (const SIGNUP of [
    'opened',
    'verified-domain',
    'verified-domain:',
    'verified-domain:localhost',
    'verified-domain:a@b.com',
    'closed:x',
  ]) {
    it(`the setting SIGNUP is a fault as ${SIGNUP}`, () => {
      assert.throws(
        () => testConfig({ SIGNUP }),
        (error: ConfigError) => error.faults.some((fault) => fault.startsWith('SIGNUP must be open, closed, or')),
      );
    });
  }
});
