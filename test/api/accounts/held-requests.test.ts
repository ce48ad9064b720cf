/** Requests whose body is held open until their credential has ended. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiKey } from '../../../models/tables/api-key.js';
import { scopes } from '../../../models/rules/accounts/api-key.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { useApi } from '../use-api.js';
import { type HeldRequest, hold } from './held-request.js';
import { type Owner, owner, password } from './owner.js';

const events = ['message.sent'];
const ended = { status: 401, error: 'Invalid or expired token' };

describe('a request whose body is held open', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_AUTH: '1000/900' } });
  let me: Owner;
  let keyId: string;
  let webhookId: string;
  beforeEach(async () => {
    me = await owner(app, { verified: false });
    ({
      row: { id: keyId },
    } = await issueKey());
    webhookId = (await buildWebhook(me.workspaceId, 'https://example.com/hooks')).row.id;
  });

  const issueKey = () => ApiKey.issue(app.deps.config.secretKey, { workspace_id: me.workspaceId, name: 'first', scopes });
  const held = (request: Omit<HeldRequest, 'credential'>, credential: HeldRequest['credential'] = { jwt: me.jwt }) =>
    hold(app, me.workspaceId, { ...request, credential });
  const reset = async () => {
    await app.call('POST', '/api/v1/auth/forgot-password', { body: { email: me.email } });
    const body = { token: await me.token('reset_password'), password: 'another horse' };
    assert.equal((await app.call('POST', '/api/v1/auth/reset-password', { body })).status, 200);
  };
  /** What gives access to the workspace, and what was recorded about it. */
  const stored = () =>
    rows(
      app.deps.db,
      `SELECT (SELECT json_agg(k ORDER BY k.id)::text FROM api_keys k WHERE k.workspace_id = w.id) AS keys,
         (SELECT json_agg(h ORDER BY h.id)::text FROM webhooks h WHERE h.workspace_id = w.id) AS webhooks,
         (SELECT count(*) FROM replays r JOIN webhooks h ON h.id = r.webhook_id WHERE h.workspace_id = w.id) AS replays,
         (SELECT count(*) FROM audit_events a WHERE a.workspace_id = w.id) AS events,
         (SELECT count(*) FROM mail_tokens t WHERE t.workspace_id = w.id) AS tokens, to_json(w)::text AS workspace
       FROM workspaces w WHERE w.id = $1`,
      [me.workspaceId],
    );
  const assertRefused = async (finish: Awaited<ReturnType<typeof held>>, refusal = ended) => {
    const before = await stored();
    assert.deepEqual(await finish(), refusal);
    assert.deepEqual(await stored(), before, 'nothing is stored');
  };

  const writers: [what: string, request: () => Omit<HeldRequest, 'credential'>][] = [
    ['a new key', () => ({ method: 'POST', path: '/api-keys', body: { name: 'x' } })],
    ['a rotated key', () => ({ method: 'POST', path: `/api-keys/${keyId}/rotate`, body: { overlap_hours: 1 } })],
    ['a new webhook', () => ({ method: 'POST', path: '/webhooks', body: { url: 'https://8.8.8.8/', events } })],
    ['a webhook that is activated', () => ({ method: 'PUT', path: `/webhooks/${webhookId}`, body: { is_active: true } })],
    ['a new secret of a webhook', () => ({ method: 'POST', path: `/webhooks/${webhookId}/rotate-secret`, body: { overlap_hours: 0 } })],
    ['other policies', () => ({ method: 'PUT', path: '/workspace', body: { message_days: 7 } })],
    ['a suppression', () => ({ method: 'POST', path: '/suppressions', body: { channel: 'sms', recipient: '+15551234567' } })],
    ['an erasure', () => ({ method: 'POST', path: '/erasures', body: { to: '+15551234567' } })],
  ];
  for (const [what, request] of writers) {
    it(`401 for ${what}, held open during a password reset`, async () => {
      const finish = await held(request());
      await reset();
      await assertRefused(finish);
    });
  }

  it('401 for a webhook that an API key makes, held open during a password reset', async () => {
    const { key } = await issueKey();
    const finish = await held({ method: 'POST', path: '/webhooks', body: { url: 'https://8.8.8.8/', events } }, { key });
    await reset();
    await assertRefused(finish, { status: 401, error: 'API key has been deactivated' });
  });

  it('401 for the end of the account, held open during a password reset, also with the new password', async () => {
    const finish = await held({ method: 'DELETE', path: '/auth/workspace', body: { current_password: 'another horse' } });
    await reset();
    await assertRefused(finish);
  });

  it('401 as for an ended JWT for the end of the account, held open while another request ended it', async () => {
    const close = { method: 'DELETE', path: '/auth/workspace', body: { current_password: password } } as const;
    const finish = await held(close);
    assert.equal((await me.call('DELETE', '/auth/workspace', { current_password: password })).status, 200);
    await assertRefused(finish);
  });

  it('401 as for an ended JWT for a change of the password, held open during a reset, and no failed login is counted', async () => {
    const finish = await held({ method: 'PUT', path: '/auth/password', body: { current_password: password, password: 'third horse' } });
    await reset();
    await assertRefused(finish);
    const tries = await rows(app.deps.db, 'SELECT 1 FROM login_tries WHERE tries > 0');
    assert.deepEqual(tries, []);
  });

  it('401 for a replay without deliveries, held open during a logout', async () => {
    const finish = await held({ method: 'POST', path: `/webhooks/${webhookId}/replay`, body: { since: '2020-01-01T00:00:00Z' } });
    assert.equal((await me.call('POST', '/auth/logout-all')).status, 200);
    await assertRefused(finish);
  });

  it('401 for a new key, held open during a logout of this or of all sessions', async () => {
    for (const path of ['/auth/logout-all', '/auth/logout']) {
      me = await owner(app);
      const finish = await held({ method: 'POST', path: '/api-keys', body: { name: 'x' } });
      assert.equal((await me.call('POST', path)).status, 200);
      await assertRefused(finish);
    }
  });

  it('401 for a new key and a new webhook, held open during the end of the account', async () => {
    for (const [path, body] of [
      ['/api-keys', { name: 'x' }],
      ['/webhooks', { url: 'https://8.8.8.8/', events }],
    ] as const) {
      me = await owner(app);
      const finish = await held({ method: 'POST', path, body });
      assert.equal((await me.call('DELETE', '/auth/workspace', { current_password: password })).status, 200);
      await assertRefused(finish);
    }
  });

  it('401 for a send whose body took longer than a second, with a key that was revoked meanwhile', async () => {
    const { key, row } = await issueKey();
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
    const finish = await held({ method: 'POST', path: '/messages/send', body }, { key });
    const begun = performance.now();
    assert.equal((await me.call('DELETE', `/api-keys/${row.id}`)).status, 200);
    await until(() => performance.now() - begun > 1_200, 'a second has passed, also since the key was looked up');
    assert.deepEqual(await finish(), { status: 401, error: 'API key has been deactivated' });
    assert.deepEqual(await rows(app.deps.db, 'SELECT id FROM messages WHERE workspace_id = $1', [me.workspaceId]), []);
  });

  it('401 for a bulk send that waited behind others of its workspace, with a key that was revoked meanwhile', async () => {
    const body = { channel: 'sms', content: { text: 'Hello' }, recipients: ['+15551234567'] };
    const bulk = { method: 'POST', path: '/messages/bulk', body } as const;
    // Each has a key of its own, so that it takes its place before the next one begins.
    const [first, second, { key, row }] = [await issueKey(), await issueKey(), await issueKey()];
    const running = [await held(bulk, first), await held(bulk, second)];
    const finish = await held(bulk, { key });
    assert.equal((await me.call('DELETE', `/api-keys/${row.id}`)).status, 200);
    const waiting = finish();
    await sleep(1_200);
    for (const other of running) assert.equal((await other()).status, 201);
    assert.equal((await waiting).status, 401);
    assert.equal((await rows(app.deps.db, 'SELECT id FROM batches WHERE workspace_id = $1', [me.workspaceId])).length, 2);
  });

  it('201 for a new key, held open while its credential stays valid', async () => {
    assert.equal((await (await held({ method: 'POST', path: '/api-keys', body: { name: 'x' } }))()).status, 201);
  });
});

describe('the key of a closed workspace', () => {
  const app = useApi();

  it('401 for a key of a closed workspace, also if it was made after the closing', async () => {
    const { workspaceId, key } = await app.account();
    await rows(app.deps.db, 'UPDATE workspaces SET closed_at = now() WHERE id = $1', [workspaceId]);
    const { status, body } = await app.call('GET', '/api/v1/messages', { key });
    assert.deepEqual([status, body.error], [401, 'API key has been deactivated']);
  });
});
