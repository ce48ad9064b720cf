/** Passwords of many accounts at once: each account waits in a queue of its own. */
import assert from 'node:assert/strict';
import { requestPasswordReset } from '../../../models/operations/accounts/request-token-mail.js';
import { hashPassword } from '../../../models/passwords.js';
import { mailToken } from '../../../models/rules/accounts/mail-token.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { password } from './owner.js';

/** More than one account may have waiting. */
const many = 60;

describe('password checks of many accounts at once', () => {
  const app = useApi({ env: { RATE_LIMIT_AUTH: '10000/900', RATE_LIMIT_LOGIN: '10000/900' } });
  const statuses = async (call: (index: number) => Promise<{ status: number }>) =>
    new Set((await Promise.all(Array.from({ length: many }, (_, index) => call(index)))).map(({ status }) => status));

  it('201 for each of many sign-ups at once', async () => {
    const signUp = (index: number) =>
      app.call('POST', '/api/v1/auth/signup', { body: { email: `many${index}@example.com`, password, company_name: 'Acme' } });
    assert.deepEqual(await statuses(signUp), new Set([201]));
  });

  it('200 for each of many changes of passwords at once', async () => {
    const jwts = await Promise.all(Array.from({ length: many }, async () => (await app.account()).jwt));
    await rows(app.deps.db, `UPDATE workspaces SET password_hash = $1 WHERE password_hash = '-'`, [await hashPassword(password, 'all')]);
    const body = { current_password: password, password: 'another horse' };
    assert.deepEqual(
      await statuses((index) => app.call('PUT', '/api/v1/auth/password', { jwt: jwts[index] as string, body })),
      new Set([200]),
    );
  });

  describe('while a hundred passwords wait', () => {
    const aHundred = () => Array.from({ length: 100 }, (_, index) => hashPassword(password, `waiting ${index}`));
    const reset = async (token: string) =>
      (await app.call('POST', '/api/v1/auth/reset-password', { body: { token, password: 'another horse' } })).status;
    const tokenOf = async (workspaceId: string) => {
      const [owner] = await rows<{ email: string }>(app.deps.db, 'SELECT email FROM workspaces WHERE id = $1', [workspaceId]);
      const mailId = await requestPasswordReset(app.deps, owner?.email ?? '', () => undefined);
      const [mail] = await rows<{ token_id: string }>(app.deps.db, 'SELECT token_id FROM mails WHERE id = $1', [mailId]);
      return mailToken(app.deps.config.secretKey, mail?.token_id ?? '');
    };

    it('200 for a list although as many password resets wait as there are connections', async () => {
      const { jwt } = await app.account();
      const accounts = await Promise.all(Array.from({ length: 10 }, () => app.account()));
      const tokens = await Promise.all(accounts.map(({ workspaceId }) => tokenOf(workspaceId)));
      const waiting = aHundred();
      const resets = tokens.map(reset);
      await waiting[40]; // by now, the resets wait behind the others
      const list = app.call('GET', '/api/v1/api-keys', { jwt }).then(({ status }) => `${status} for a list`);
      assert.equal(await Promise.race([list, ...resets.map((each) => each.then((status) => `${status} for a reset`))]), '200 for a list');
      assert.deepEqual(new Set(await Promise.all(resets)), new Set([200]));
    });

    it('400 at once for a password reset with an unknown token while a hundred passwords wait', async () => {
      const waiting = Promise.all(aHundred());
      assert.equal(await Promise.race([reset('unknown'), waiting]), 400);
      await waiting;
    });
  });
});
