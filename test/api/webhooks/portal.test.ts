/** The link to the portal of a webhook: what it opens, and that it opens nothing else. */
import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';
import { issuePortalToken } from '../../../api/auth/tokens.js';
import { endpoints } from '../../../api/endpoints/index.js';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { ApiKey } from '../../../models/tables/api-key.js';
import { rows } from '../../support/database.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { kidOf } from '../kid-of.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const opened = new Set([
  'getWebhook',
  'listDeliveries',
  'getDelivery',
  'sendTestEvent',
  'resendDelivery',
  'replayDeliveries',
  'listReplays',
  'getReplay',
  'cancelReplay',
]);
const withCredential = endpoints.filter(({ auth }) => auth !== 'none' && auth !== 'provider');
const replay = { since: '2026-01-01T00:00:00Z' };

describe('the portal of a webhook', () => {
  const app = useApi();
  let me: Account;
  let id: string;
  let token: string;
  beforeEach(async () => {
    me = await app.account();
    ({ id } = (await buildWebhook(me.workspaceId, 'https://example.com/hooks')).row);
    token = tokenOf((await open()).body.data.portal.url);
  });
  const open = (credential: { jwt?: string; key?: string } = { jwt: me.jwt }, of = id) =>
    app.call('POST', `/api/v1/webhooks/${of}/portal`, credential);
  const tokenOf = (url: string) => new URLSearchParams(new URL(url).hash.slice(1)).get('token') ?? '';
  const look = (as = token, of = id) => app.call('GET', `/api/v1/webhooks/${of}`, { jwt: as });
  const callOf = ({ method, path, id: operation }: Endpoint, of: string) => {
    const body = operation === 'replayDeliveries' ? replay : {};
    return app.call(method.toUpperCase(), path.replace(':id', of).replaceAll(/:\w+/g, of), {
      jwt: token,
      ...(method === 'get' || method === 'delete' ? {} : { body }),
    });
  };

  it('201 for a portal with a link that is valid for an hour, with a JWT and with a key that has the scope', async () => {
    for (const credential of [{ jwt: me.jwt }, { key: me.key }]) {
      const { status, body } = await open(credential);
      const { url, expires_at } = body.data.portal;
      assert.equal(status, 201);
      assert.ok(url.startsWith(`${app.deps.config.publicUrl}/console/portal/webhooks/${id}#token=`), url);
      const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
      assert.ok(hours > 0.99 && hours <= 1, expires_at);
      assert.equal((await look(tokenOf(url))).body.data.webhook.id, id);
    }
  });

  it('201 with the same link for the portal of an id in upper case, and 200 for a link to it', async () => {
    const { status, body } = await open({ jwt: me.jwt }, id.toUpperCase());
    assert.equal(status, 201);
    assert.match(body.data.portal.url, new RegExp(`/console/portal/webhooks/${id}#`));
    for (const of of [id, id.toUpperCase()]) assert.equal((await look(tokenOf(body.data.portal.url), of)).status, 200, of);
  });

  it('403 for a portal without the scope, 404 for one of somebody else’s webhook', async () => {
    const other = await app.account({ scopes: ['send_messages'] });
    assert.equal((await open({ key: other.key })).status, 403);
    assert.equal((await open({ jwt: other.jwt })).status, 404);
  });

  for (const item of withCredential) {
    const isOpen = opened.has(item.id);
    it(`${item.id} with the link of a portal: ${isOpen ? 'an answer for this webhook, 404 for another one' : '401'}`, async () => {
      if (!isOpen) {
        const { status, body } = await callOf(item, id);
        assert.deepEqual([status, body.code], [401, 'unauthorized']);
        return;
      }
      const own = await callOf(item, id);
      const isOfDelivery = /:(delivery|replay)_id/.test(item.path);
      assert.equal(own.status, isOfDelivery ? 404 : (item.status ?? 200));
      if (isOfDelivery) assert.match(own.body.error, /^(Delivery|Replay) not found$/);
      const sibling = (await buildWebhook(me.workspaceId, 'https://example.com/other')).row.id;
      const other = await callOf(item, sibling);
      assert.deepEqual([other.status, other.body.error], [404, 'Webhook not found']);
    });
  }

  it('401 for a portal after its sessions or its workspace ended, 404 after its webhook was deleted', async () => {
    assert.equal((await look()).status, 200);
    await app.call('POST', '/api/v1/auth/logout-all', { jwt: me.jwt });
    assert.equal((await look()).status, 401);
    const [{ token_version }] = (await rows<{ token_version: number }>(app.deps.db, 'SELECT token_version FROM workspaces WHERE id = $1', [
      me.workspaceId,
    ])) as [{ token_version: number }];
    const again = issuePortalToken(app.deps.config.jwtSecret, { id: me.workspaceId, token_version }, id, null).token;
    assert.equal((await look(again)).status, 200);
    await app.call('DELETE', `/api/v1/webhooks/${id}`, { key: me.key });
    assert.equal((await look(again)).status, 404);
    await rows(app.deps.db, 'UPDATE workspaces SET closed_at = now() WHERE id = $1', [me.workspaceId]);
    assert.equal((await look(again)).status, 401);
  });

  it('401 for a portal after the key that made its link ended, and 200 with a link of a session', async () => {
    for (const end of ['is_active = false', 'expires_at = now()']) {
      const { key } = await ApiKey.issue(app.deps.config.secretKey, {
        workspace_id: me.workspaceId,
        name: 'x',
        scopes: ['manage_webhooks'],
      });
      const link = tokenOf((await open({ key })).body.data.portal.url);
      assert.equal((await look(link)).status, 200);
      await rows(app.deps.db, `UPDATE api_keys SET ${end} WHERE name = 'x' AND workspace_id = $1`, [me.workspaceId]);
      const { status, body } = await look(link);
      assert.deepEqual([status, body.error], [401, 'Invalid or expired token']);
      assert.equal((await look()).status, 200);
    }
  });

  it('403 for a portal while the workspace is suspended, and for a new link', async () => {
    await rows(app.deps.db, "INSERT INTO suspensions (workspace_id, reason) VALUES ($1, 'test')", [me.workspaceId]);
    assert.deepEqual([(await look()).status, (await open()).status], [403, 403]);
    assert.equal((await look(me.jwt)).status, 200);
  });

  it('401 for a portal after its hour, and for a token without a webhook', async () => {
    const { jwtSecret } = app.deps.config;
    const { exp: _, iat: _i, ...claims } = jwt.decode(token) as jwt.JwtPayload;
    const keyid = kidOf(token);
    const expired = await look(jwt.sign(claims, jwtSecret, { expiresIn: -1, keyid }));
    assert.deepEqual([expired.status, expired.body.code], [401, 'token_expired']);
    const { wh: _w, ...others } = claims;
    assert.equal((await look(jwt.sign(others, jwtSecret, { expiresIn: 600, keyid }))).status, 401);
    assert.equal((await look(jwt.sign({ ...claims, typ: 'console' }, jwtSecret, { expiresIn: 600, keyid }))).status, 401);
    assert.equal((await look(jwt.sign({ ...claims, key: 'x' }, jwtSecret, { expiresIn: 600, keyid }))).status, 401);
  });

  it('a new link writes an audit event without its token', async () => {
    const { body } = await app.call('GET', '/api/v1/audit-events?type=webhook.portal_opened', { jwt: me.jwt });
    const [event] = body.data.audit_events;
    assert.deepEqual([event.target.id, event.changes], [id, null]);
    assert.ok(!JSON.stringify(event).includes(token));
  });

  it('the page of the portal may be framed by the sites of its webhook alone', async () => {
    const ancestors = async (path: string) => {
      const { headers } = await fetch(app.url + path);
      return [/frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1], headers.has('x-frame-options')];
    };
    const path = `/console/portal/webhooks/${id}`;
    assert.deepEqual(await ancestors(path), ["'none'", true]);
    const sites = ['https://app.example.com', 'https://xn--bcher-kva.example:8443'];
    const { body } = await app.call('PUT', `/api/v1/webhooks/${id}`, { jwt: me.jwt, body: { frame_ancestors: sites } });
    assert.deepEqual(body.data.webhook.frame_ancestors, sites);
    for (const each of [path, `${path}/deliveries/${id}`]) assert.deepEqual(await ancestors(each), [sites.join(' '), false]);
    for (const other of ['/console', `/console/webhooks/${id}`, '/console/portal/webhooks/x', `/console/portal/webhooks/${me.workspaceId}`])
      assert.deepEqual(await ancestors(other), ["'none'", true], other);
    await app.call('PUT', `/api/v1/webhooks/${id}`, { jwt: me.jwt, body: { frame_ancestors: null } });
    assert.deepEqual(await ancestors(path), ["'none'", true]);
  });

  it('400 for a site that may frame the portal and is no https origin', async () => {
    const text = 'frame_ancestors must be a list of at most 10 https origins, such as https://app.example.com';
    const wrong = [
      'http://a.example',
      'https://a.example/',
      'https://a.example;b',
      "https://a.example 'self'",
      'https://*.example',
      '*',
      'https://A.example',
    ];
    for (const site of wrong) {
      const { status, body } = await app.call('PUT', `/api/v1/webhooks/${id}`, { jwt: me.jwt, body: { frame_ancestors: [site] } });
      assert.deepEqual([status, body.error], [400, text], site);
    }
    const none = await app.call('PUT', `/api/v1/webhooks/${id}`, { jwt: me.jwt, body: { frame_ancestors: [null] } });
    assert.deepEqual([none.status, none.body.error], [400, 'frame_ancestors[0] must be a string']);
    const many = Array.from({ length: 11 }, (_, index) => `https://a${index}.example`);
    assert.equal((await app.call('PUT', `/api/v1/webhooks/${id}`, { jwt: me.jwt, body: { frame_ancestors: many } })).status, 400);
    const created = await app.call('POST', '/api/v1/webhooks', {
      jwt: me.jwt,
      body: { url: 'https://example.com/', events: ['message.sent'], frame_ancestors: ['https://a.example'] },
    });
    assert.deepEqual(created.body.data.webhook.frame_ancestors, ['https://a.example']);
  });
});
