/** Passwords of many accounts at once: each account waits in a queue of its own. */
import assert from 'node:assert/strict';
import { hashPassword } from '../../../models/passwords.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { password } from './owner.js';

/** More than one account may have waiting. */
const many = 80;

describe('password checks of many accounts at once', function () {
  this.timeout(30_000);
  const app = useApi({ env: { RATE_LIMIT_AUTH: '10000/900', RATE_LIMIT_LOGIN: '10000/900' } });
  const statuses = async (call: (index: number) => Promise<{ status: number }>) =>
    new Set((await Promise.all(Array.from({ length: many }, (_, index) => call(index)))).map(({ status }) => status));

  it('201 for every sign-up', async () => {
    const signUp = (index: number) =>
      app.call('POST', '/api/v1/auth/signup', { body: { email: `many${index}@example.com`, password, company_name: 'Acme' } });
    assert.deepEqual(await statuses(signUp), new Set([201]));
  });

  it('200 for every change of a password', async () => {
    const jwts = await Promise.all(Array.from({ length: many }, async () => (await app.account()).jwt));
    await rows(app.deps.db, `UPDATE workspaces SET password_hash = $1 WHERE password_hash = '-'`, [await hashPassword(password, 'all')]);
    const body = { current_password: password, password: 'another horse' };
    assert.deepEqual(
      await statuses((index) => app.call('PUT', '/api/v1/auth/password', { jwt: jwts[index] as string, body })),
      new Set([200]),
    );
  });
});
