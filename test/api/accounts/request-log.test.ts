import assert from 'node:assert/strict';
import jsonwebtoken, { type JwtPayload } from 'jsonwebtoken';
import { kidOf } from '../kid-of.js';
import { inTransaction, select } from '../../../models/db/database.js';
import { apiMetrics } from '../../../models/metrics/catalogue.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import type { TestApp } from '../start-app.js';
import { useApiStarts } from '../use-api.js';
import { owner, password } from './owner.js';

interface Line {
  route: string;
  status: number;
  address?: string;
  key_id?: string;
  workspace_id?: string;
}

describe('the log line of a request', () => {
  const startApi = useApiStarts();
  let app: TestApp;
  const lines: Line[] = [];

  const start = async (env: NodeJS.ProcessEnv = {}) => {
    app = await startApi(env);
    lines.length = 0;
    app.deps.logger.info = ((line: Line) => void lines.push(line)) as typeof app.deps.logger.info;
    return app.account();
  };
  const newest = async (status: number) => {
    await until(() => lines.some((line) => line.status === status), `a line with ${status}`);
    return lines.find((line) => line.status === status);
  };

  it('the log line of a request names the client, the key and the workspace without personal data', async () => {
    const { key, workspaceId, jwt } = await start({ TRUSTED_PROXIES: '127.0.0.1' });
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'a secret text' }, reference: 'ref-1' };
    const headers = { 'X-Forwarded-For': '203.0.113.7', 'User-Agent': 'tester' };
    await app.call('POST', '/api/v1/messages/send', { key, body, headers });
    const line = await newest(201);
    const [{ id }] = (await app.call('GET', '/api/v1/api-keys', { jwt })).body.data.api_keys;
    assert.deepEqual([line?.address, line?.key_id, line?.workspace_id], ['203.0.113.7', id, workspaceId]);
    assert.doesNotMatch(JSON.stringify(lines), /5551234567|secret text|ref-1|tester|tidings_/);
  });
  it('the log line of a request names the client of a refused request by its socket without a trusted proxy', async () => {
    await start();
    await app.call('GET', '/nothing', { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    assert.equal((await newest(404))?.address, '127.0.0.1');
    await app.call('GET', '/api/v1/messages', { key: 'x' });
    const line = await newest(401);
    assert.deepEqual([line?.address, line?.key_id], ['127.0.0.1', undefined]);
  });

  describe('of a refused request', () => {
    const read = '/api/v1/messages';
    const ofKey = async (jwt: string) => (await app.call('GET', '/api/v1/api-keys', { jwt })).body.data.api_keys[0].id as string;

    it('the log line of a 401 names key and workspace of a revoked key, an expired one and one from a wrong address', async () => {
      const { key, workspaceId, jwt } = await start();
      const id = await ofKey(jwt);
      for (const change of [
        "expires_at = now() - interval '1 second'",
        "expires_at = NULL, allowed_addresses = '{203.0.113.0/24}'",
        'allowed_addresses = NULL, is_active = false',
      ]) {
        await rows(app.deps.db, `UPDATE api_keys SET ${change} WHERE id = $1`, [id]);
        for (const time of ['first', 'second']) {
          lines.length = 0;
          await app.call('GET', read, { key });
          const line = await newest(401);
          assert.deepEqual([line?.key_id, line?.workspace_id], [id, workspaceId], `${change}, ${time} time`);
        }
      }
    });
    it('the log line of a 403 without the scope, and of a 429, names the key and the workspace', async () => {
      await start({ RATE_LIMIT_API: '2/60' });
      const { key, workspaceId, jwt } = await app.account({ scopes: ['manage_contacts'] });
      const id = await ofKey(jwt);
      for (const status of [403, 403, 429]) {
        lines.length = 0;
        await app.call('GET', read, { key });
        const line = await newest(status);
        assert.deepEqual([line?.key_id, line?.workspace_id], [id, workspaceId], String(status));
      }
    });
    it('the log line of a 401 names the workspace of an ended and an expired JWT, as does that of a 429', async () => {
      const { workspaceId, jwt } = await start({ RATE_LIMIT_API: '3/60' });
      const { decode, sign } = jsonwebtoken;
      const { iat, exp, ...claims } = decode(jwt) as JwtPayload;
      const expired = sign({ ...claims, iat: (iat ?? 0) - 100, exp: (exp ?? 0) - 40 * 86_400 }, app.deps.config.jwtSecret, {
        keyid: kidOf(jwt),
      });
      await app.call('GET', '/api/v1/api-keys', { jwt: expired });
      assert.equal((await newest(401))?.workspace_id, workspaceId, 'expired');
      await app.call('POST', '/api/v1/auth/logout', { jwt });
      for (const status of [401, 401, 429]) {
        lines.length = 0;
        await app.call('GET', '/api/v1/api-keys', { jwt });
        assert.equal((await newest(status))?.workspace_id, workspaceId, String(status));
      }
    });
    it('the log line of a send that is refused early with 503 names the client, the key and the workspace', async () => {
      const { key, workspaceId, jwt } = await start({ TRUSTED_PROXIES: '127.0.0.1' });
      const id = await ofKey(jwt);
      await app.call('GET', read, { key });
      app.deps.acceptGate.isFullFor = () => true;
      const headers = { 'X-Forwarded-For': '192.0.2.1, 203.0.113.7' };
      await app.call('POST', '/api/v1/messages/send', { key, headers, body: {} });
      const line = await newest(503);
      assert.deepEqual([line?.address, line?.key_id, line?.workspace_id], ['203.0.113.7', id, workspaceId]);
    });
  });

  it('a request that is aborted before its response is logged as 499 and counted as aborted, not as a success', async () => {
    const { key } = await start();
    apiMetrics.requests.reset();
    const abort = new AbortController();
    await inTransaction(app.deps.db, async (transaction) => {
      await select(app.deps.db, 'LOCK TABLE messages IN ACCESS EXCLUSIVE MODE', [], transaction);
      const call = fetch(`${app.url}/api/v1/messages`, { headers: { 'X-API-Key': key }, signal: abort.signal });
      const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'messages'::regclass`;
      await until(async () => (await rows(app.deps.db, waiting)).length > 0, 'a request that waits');
      abort.abort();
      await assert.rejects(call, /abort/);
      assert.equal((await newest(499))?.route, '/api/v1/messages');
    });
    const { values } = await apiMetrics.requests.get();
    assert.deepEqual(
      values.map(({ labels, value }) => [labels, value]),
      [[{ operation: 'GET /api/v1/messages', status_class: 'aborted' }, 1]],
    );
  });

  it('the log line of a request names the workspace of each JWT under /auth, also of several from one address', async () => {
    const [first, second] = [await start(), await app.account()];
    for (const { jwt, workspaceId } of [first, second]) {
      lines.length = 0;
      await app.call('POST', '/api/v1/auth/logout', { jwt });
      assert.equal((await newest(200))?.workspace_id, workspaceId);
    }
  });

  describe('of an operation without a credential', () => {
    it('the log line of a login names the workspace of an account that exists, and no e-mail address', async () => {
      await start({ TRUSTED_PROXIES: '127.0.0.1' });
      const me = await owner(app);
      assert.equal((await newest(201))?.workspace_id, me.workspaceId, 'the sign-up');
      for (const path of ['/api/v1/auth/login', '/console/session'])
        for (const secret of [password, 'wrong horse']) {
          lines.length = 0;
          const { status } = await app.call('POST', path, { body: { email: me.email, password: secret } });
          const line = await newest(status);
          assert.deepEqual([line?.route, line?.workspace_id], [path, me.workspaceId], `${path} ${status}`);
        }
      await app.call('POST', '/api/v1/auth/login', { body: { email: 'nobody@example.com', password } });
      await until(() => lines.length > 1, 'a line of the unknown account');
      assert.equal(lines[1]?.workspace_id, undefined);
      assert.doesNotMatch(JSON.stringify(lines), /example\.com/);
    });
    it('the log line of a request for a mail names the workspace of the address, and none for an unknown one', async () => {
      await start({ TRUSTED_PROXIES: '127.0.0.1' });
      const me = await owner(app);
      for (const path of ['/api/v1/auth/forgot-password', '/api/v1/auth/resend-verification']) {
        for (const [email, workspaceId] of [
          [me.email, me.workspaceId],
          ['nobody@example.com', undefined],
        ]) {
          lines.length = 0;
          await app.call('POST', path, { body: { email } });
          assert.equal((await newest(200))?.workspace_id, workspaceId, `${path} ${email}`);
        }
      }
    });
    it('the log line of a password reset names the workspace', async () => {
      await start({ TRUSTED_PROXIES: '127.0.0.1' });
      const me = await owner(app);
      await app.call('POST', '/api/v1/auth/forgot-password', { body: { email: me.email } });
      lines.length = 0;
      await app.call('POST', '/api/v1/auth/reset-password', {
        body: { token: await me.token('reset_password'), password: 'another horse' },
      });
      assert.equal((await newest(200))?.workspace_id, me.workspaceId);
    });
  });
});
