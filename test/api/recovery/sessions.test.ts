/** Sessions after a restore of the database, which takes away what was stored in the lost time. */
import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { useConsoleSession } from '../accounts/console-session.js';
import { password } from '../accounts/owner.js';

const other = 'another horse';

describe('after a restore', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { session, call } = useConsoleSession(app);
  const ask = async (jwt: string, method: string, path: string, body?: object) =>
    (await app.call(method, `/api/v1${path}`, { jwt, ...(body === undefined ? {} : { body }) })).status;
  const logIn = async (secret = password): Promise<string> => (await session.me.logIn(secret)).body.data.token;

  /** Runs what happens in the lost time, and restores the workspace. */
  async function lose<Result>(during: () => Promise<Result>): Promise<Result> {
    const { workspaceId } = session.me;
    const stored = 'SELECT token_version, password_hash FROM workspaces WHERE id = $1';
    const [before] = await rows<{ token_version: number; password_hash: string }>(app.deps.db, stored, [workspaceId]);
    const result = await during();
    const restore = 'UPDATE workspaces SET token_version = $2, password_hash = $3 WHERE id = $1';
    await rows(app.deps.db, restore, [workspaceId, before?.token_version, before?.password_hash]);
    for (const table of ['sessions', 'revoked_tokens'])
      await rows(app.deps.db, `DELETE FROM ${table} WHERE workspace_id = $1`, [workspaceId]);
    return result;
  }

  const remedies: [string, (jwt: string) => Promise<number>][] = [
    ['a new password', (jwt) => ask(jwt, 'PUT', '/auth/password', { current_password: password, password: other })],
    ['a logout of all', (jwt) => ask(jwt, 'POST', '/auth/logout-all')],
    ['a reset', async () => (await session.me.reset(other, '198.51.100.1')).status],
  ];
  for (const [name, end] of remedies) {
    it(`401 for a JWT of the lost time that ${name} ended, once ${name} is repeated after the restore`, async () => {
      const stolen = await lose(async () => {
        assert.equal(await ask(await logIn(), 'POST', '/auth/logout-all'), 200);
        const taken = await logIn();
        assert.equal(await end(await logIn()), 200);
        assert.equal(await ask(taken, 'GET', '/api-keys'), 401);
        return taken;
      });
      assert.equal(await end(await logIn()), 200);
      assert.equal(await ask(stolen, 'GET', '/api-keys'), 401);
    });
  }

  it('401 for a console session of the lost time, and a JWT stays valid without being listed', async () => {
    const isValid = async () => (await call('GET', '/api/v1/balance')).status === 200;
    assert.ok(await isValid());
    await lose(async () => undefined);
    assert.equal(await isValid(), false);
    const { status, body } = await session.me.call('GET', '/auth/sessions');
    assert.deepEqual([status, body.data.sessions], [200, []]);
  });
});
