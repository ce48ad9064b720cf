import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { forgetLogins } from '../../../models/operations/logins/forget-logins.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { openEventStream } from '../../support/network/event-stream.js';
import { useApi } from '../use-api.js';
import { own, useConsoleSession } from './console-session.js';
import { owner, password } from './owner.js';

interface Shown {
  id: string;
  kind: string;
  last_used_at: string | null;
  is_current: boolean;
}

describe('open sessions', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', CONSOLE_IDLE_HOURS: '2' } });
  const { session, call } = useConsoleSession(app); // a JWT, then a session of the console

  const list = async (): Promise<Shown[]> => (await session.me.call('GET', '/auth/sessions')).body.data.sessions;
  const end = (id: string) => session.me.call('DELETE', `/auth/sessions/${id}`);
  const isValid = async () => (await call('GET', '/api/v1/balance')).status === 200;
  const audited = () =>
    rows(app.deps.db, `SELECT target_type, target_id FROM audit_events WHERE workspace_id = $1 AND type = 'auth.logout'`, [
      session.me.workspaceId,
    ]);
  const kept = async () => (await rows(app.deps.db, 'SELECT 1 FROM sessions WHERE workspace_id = $1', [session.me.workspaceId])).length;
  const idOfConsole = async () => (await list()).find(({ kind }) => kind === 'console')?.id ?? '';
  const unusedFor = async (hours: number) =>
    rows(app.deps.db, `UPDATE sessions SET last_used_at = now() - $2 * interval '1 hour' WHERE workspace_id = $1`, [
      session.me.workspaceId,
      hours,
    ]);

  it('the list of sessions shows JWTs and console sessions, newest first, with the client that logged in', async () => {
    const answer = await session.me.logIn(password, {}, '203.0.113.7');
    assert.equal(answer.status, 200);
    const { status, body } = await session.me.call('GET', '/auth/sessions');
    assert.equal(status, 200);
    const shown = body.data.sessions as (Shown & { address: string; user_agent: string; created_at: string; expires_at: string })[];
    assert.deepEqual(
      shown.map(({ kind, is_current }) => [kind, is_current]),
      [
        ['jwt', false],
        ['console', false],
        ['jwt', true],
      ],
    );
    const [newest] = shown;
    assert.ok(newest !== undefined);
    assert.deepEqual([newest.address, newest.user_agent, newest.last_used_at], ['203.0.113.7', 'node', null]);
    assert.equal(Date.parse(newest.expires_at) - Date.parse(newest.created_at) > 29 * 86_400_000, true);
    assert.equal(body.data.pagination.total, 3);
    assert.equal((await call('GET', '/api/v1/auth/sessions')).body.data.sessions[1].is_current, true, 'seen from the console');
  });

  it('the list of sessions shows when each was used last, to the minute', async () => {
    assert.ok(await isValid());
    await until(async () => (await list()).every(({ last_used_at }) => last_used_at !== null), 'both uses are written');
    const [first] = await list();
    assert.ok(await isValid());
    assert.deepEqual((await list())[0], first, 'a second use within the minute is not written');
  });

  it('200 for the end of a session, whose next request gets 401', async () => {
    const id = await idOfConsole();
    const { status, body } = await end(id);
    assert.deepEqual([status, body.data], [200, { message: 'Session ended.' }]);
    assert.equal(await isValid(), false);
    assert.deepEqual(
      (await list()).map(({ kind }) => kind),
      ['jwt'],
    );
    assert.deepEqual(await audited(), [{ target_type: 'session', target_id: id }]);
  });

  it('200 for a session that ends itself, and 401 for its next request', async () => {
    const mine = (await list()).find(({ is_current }) => is_current);
    assert.equal((await end(mine?.id ?? '')).status, 200);
    assert.equal((await session.me.call('GET', '/auth/sessions')).status, 401);
    assert.ok(await isValid(), 'the other one stays');
  });

  it('404 for the end of a session that is unknown, malformed, foreign or ended', async () => {
    const other = await owner(app);
    const foreign = (await other.call('GET', '/auth/sessions')).body.data.sessions[0].id as string;
    const ended = await idOfConsole();
    await end(ended);
    for (const id of [uuidv7(), 'x', foreign, ended]) {
      const { status, body } = await end(id);
      assert.deepEqual([status, body.error], [404, 'Session not found'], id);
    }
    assert.equal((await other.call('GET', '/auth/sessions')).status, 200);
    assert.equal((await audited()).length, 1);
  });

  it('the list of sessions has none that ended by a logout, with all others, or by a new password', async () => {
    await call('DELETE', '/console/session');
    assert.equal((await list()).length, 1);
    await session.me.call('POST', '/auth/logout-all');
    session.me.jwt = (await session.me.logIn()).body.data.token;
    const again = () => app.call('GET', '/api/v1/auth/sessions', { jwt: session.me.jwt });
    assert.equal((await again()).body.data.sessions.length, 1);
    const body = { current_password: password, password: 'another horse' };
    assert.equal((await app.call('PUT', '/api/v1/auth/password', { jwt: session.me.jwt, body })).status, 200);
    assert.equal(await kept(), 0);
    session.me.jwt = (await session.me.logIn('another horse')).body.data.token;
    assert.equal((await again()).body.data.sessions.length, 1);
  });

  it('the list of sessions has none that a process without the list has ended', async () => {
    const id = await idOfConsole();
    await rows(
      app.deps.db,
      'INSERT INTO revoked_tokens (id, workspace_id, expires_at) SELECT id, workspace_id, expires_at FROM sessions WHERE id = $1',
      [id],
    );
    const { sessions, pagination } = (await session.me.call('GET', '/auth/sessions')).body.data;
    assert.deepEqual([sessions.map(({ kind }: Shown) => kind), pagination.total], [['jwt'], 1]);
  });

  it('a JWT from before the list of sessions is valid, and is not listed', async () => {
    const { jwt } = await app.account();
    const { status, body } = await app.call('GET', '/api/v1/auth/sessions', { jwt });
    assert.deepEqual([status, body.data.sessions], [200, []]);
    assert.equal((await app.call('POST', '/api/v1/auth/logout', { jwt })).status, 200);
    assert.equal((await app.call('GET', '/api/v1/auth/sessions', { jwt })).status, 401);
  });

  it('401 for a session of the console that was not used for CONSOLE_IDLE_HOURS, and a JWT stays valid', async () => {
    await unusedFor(1.9);
    assert.ok(await isValid());
    const usedAt = async () => Date.parse((await list()).find(({ kind }) => kind === 'console')?.last_used_at ?? '');
    await until(async () => (await usedAt()) > Date.now() - 60_000, 'the use is written');
    await unusedFor(2.1);
    const { status, body } = await call('GET', '/api/v1/balance');
    assert.deepEqual([status, body.error], [401, 'Invalid or expired token']);
    assert.deepEqual(
      (await list()).map(({ kind }) => kind),
      ['jwt'],
    );
  });

  it('the stream of an idle session ends', async () => {
    const stream = await openEventStream(`${app.url}/api/v1/stream`, { Cookie: session.cookie, ...own });
    await until(async () => (await list()).every(({ last_used_at }) => last_used_at !== null), 'the use is written');
    await unusedFor(2.1);
    await until(() => stream.isOver, 'the end of the stream');
  });

  it('no session of a closed account is kept, and none that has expired', async () => {
    await rows(app.deps.db, `UPDATE sessions SET expires_at = now() WHERE workspace_id = $1 AND kind = 'console'`, [
      session.me.workspaceId,
    ]);
    await forgetLogins(app.deps.db);
    assert.equal(await kept(), 1);
    assert.equal((await session.me.call('DELETE', '/auth/workspace', { current_password: password })).status, 200);
    assert.equal(await kept(), 0);
  });

  it('a JWT that was ended stays so, also for a process whose clock is behind that of the database', async () => {
    await session.me.call('POST', '/auth/logout');
    const ended = async () =>
      (await rows(app.deps.db, 'SELECT 1 FROM revoked_tokens WHERE workspace_id = $1', [session.me.workspaceId])).length;
    const expire = (before: string) =>
      rows(app.deps.db, `UPDATE revoked_tokens SET expires_at = now() - $2::interval WHERE workspace_id = $1`, [
        session.me.workspaceId,
        before,
      ]);
    for (const [before, left] of [
      ['10 seconds', 1],
      ['2 hours', 0],
    ] as const) {
      await expire(before);
      await forgetLogins(app.deps.db);
      assert.equal(await ended(), left, before);
    }
  });
});
