import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { until } from '../../support/client.js';
import { assertAbout } from '../../support/measure/times.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';
import { channels } from '../../../models/channels.js';

const keys = '/api/v1/api-keys';
const list = '/api/v1/messages';
const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

describe('limits of API keys', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });

  const post = (limits: object) => app.call('POST', keys, { jwt: account.jwt, body: { name: 'x', ...limits } });
  const create = async (limits: object) => {
    const { status, body } = await post(limits);
    assert.equal(status, 201);
    return body;
  };
  const listed = async () => (await app.call('GET', keys, { jwt: account.jwt })).body.data.api_keys[0];
  const from = (key: string, address: string) => app.call('GET', list, { key, headers: { 'X-Forwarded-For': address } });

  it('201 for an API key with limits, which the list shows', async () => {
    const limits = { expires_at: '2099-01-01T00:00:00.000Z', allowed_addresses: ['203.0.113.7', '2001:DB8::/32'], channels: ['sms'] };
    const { data } = await create(limits);
    const kept = { ...limits, allowed_addresses: ['203.0.113.7/32', '2001:db8::/32'] };
    assert.deepEqual({ expires_at: data.expires_at, allowed_addresses: data.allowed_addresses, channels: data.channels }, kept);
    const { expires_at, allowed_addresses, channels } = await listed();
    assert.deepEqual({ expires_at, allowed_addresses, channels }, kept);
    const plain = await create({});
    assert.deepEqual(Object.keys(plain.data), ['id', 'name', 'key', 'key_prefix', 'scopes', 'created_at', 'warning']);
  });

  it('401 for a key from its expiry on', async () => {
    const { data } = await create({ expires_at: '2099-01-01T00:00:00.000Z' });
    assert.equal((await app.call('GET', list, { key: data.key })).status, 200);
    const expiresAt = Date.now() + 500;
    await rows(app.deps.db, 'UPDATE api_keys SET expires_at = $2 WHERE id = $1', [data.id, new Date(expiresAt)]);
    let last = 0;
    await until(async () => {
      const sentAt = Date.now();
      const { status, body } = await app.call('GET', list, { key: data.key });
      if (status === 200) last = sentAt;
      if (status === 200) return false;
      assert.deepEqual([status, body.error, body.code], [401, 'Invalid API key', 'unauthorized']);
      return true;
    }, 'the key expires');
    assert.ok(last < expiresAt, `${last - expiresAt} ms`);
  });

  it('401 for a key from another address, also over IPv6', async () => {
    const { data } = await create({ allowed_addresses: ['203.0.113.0/24', '2001:db8::/48'] });
    const statuses = [];
    for (const address of ['203.0.113.9', '203.0.114.9', '2001:db8:0:1::1', '2001:db8:1::1', '::ffff:203.0.113.9'])
      statuses.push((await from(data.key, address)).status);
    assert.deepEqual(statuses, [200, 401, 200, 401, 200]);
    assert.equal((await from(data.key, '8.8.8.8')).body.error, 'Invalid API key');
  });

  it('403 for the resumption of a batch on a forbidden channel, 200 for its pause and its cancel', async () => {
    const { key } = (await create({ channels: ['email'] })).data;
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: ['+15551234567'] };
    const { body } = await app.call('POST', '/api/v1/messages/bulk', { key: account.key, body: bulk });
    const change = (what: string, as = key, id: string = body.data.batch.id) =>
      app.call('POST', `/api/v1/messages/bulk/${id}/${what}`, { key: as });
    assert.equal((await change('pause')).status, 200);
    const refused = await change('resume');
    assert.deepEqual([refused.status, refused.body.error], [403, 'API key may not use channel: sms']);
    const { body: shown } = await app.call('GET', `/api/v1/messages/bulk/${body.data.batch.id}`, { key });
    assert.equal(shown.data.batch.status, 'paused');
    assert.equal((await change('resume', key, account.workspaceId)).status, 404);
    assert.equal((await change('resume', account.key)).status, 200);
    assert.equal((await change('cancel')).status, 200);
  });

  it('403 on a forbidden channel for sends, fallbacks, bulk sends and previews', async () => {
    const { key } = (await create({ channels: ['email'] })).data;
    const mail = { to: 'a@b.co', channel: 'email', content: { text: 'Hello', subject: 's' } };
    const send = (path: string, body: object) => app.call('POST', `/api/v1/messages/${path}`, { key, body });
    assert.equal((await send('send', mail)).status, 201);
    const refused = await send('send', sms);
    assert.deepEqual([refused.status, refused.body.error, refused.body.code], [403, 'API key may not use channel: sms', 'forbidden']);
    const fallback = [{ channel: 'sms', to: '+15551234567', after: 60 }];
    assert.equal((await send('send', { ...mail, fallback })).status, 403);
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: ['+15551234567'] };
    assert.equal((await send('bulk', bulk)).status, 403);
    for (const body of [sms, bulk, { ...mail, fallback }]) assert.equal((await send('preview', body)).status, 403);
    const [{ n } = { n: -1 }] = await rows<{ n: number }>(app.deps.db, 'SELECT count(*) AS n FROM messages WHERE workspace_id = $1', [
      account.workspaceId,
    ]);
    assert.equal(n, 1);
  });

  it('the list of API keys shows the address of the last use', async () => {
    const { data } = await create({});
    await from(data.key, '203.0.113.9');
    await until(async () => (await listed()).last_used_address !== null, 'the use is noted');
    const { last_used_at, last_used_address } = await listed();
    assert.equal(last_used_address, '203.0.113.9');
    await from(data.key, '203.0.113.10');
    assert.deepEqual((await listed()).last_used_at, last_used_at);
  });

  const refused: [object, string][] = [
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at must be in the future'],
    [{ expires_at: 'soon' }, 'Invalid date format'],
    [{ allowed_addresses: [] }, 'allowed_addresses must not be empty'],
    [{ allowed_addresses: 'x' }, 'allowed_addresses must be an array'],
    [{ allowed_addresses: ['10.0.0.0/8', 5] }, 'allowed_addresses[1] must be a string'],
    [{ allowed_addresses: ['10.0.0.0/33'] }, 'allowed_addresses[0] must be an IP address or a network in CIDR notation'],
    [{ allowed_addresses: ['example.com'] }, 'allowed_addresses[0] must be an IP address or a network in CIDR notation'],
    [{ allowed_addresses: Array.from({ length: 51 }, () => '10.0.0.1') }, 'allowed_addresses must have at most 50 items'],
    [{ channels: ['fax'] }, `Invalid channels. Must be one of: ${channels.join(', ')}`],
  ];
  for (const [limits, text] of refused) {
    it(`an API key with ${JSON.stringify(limits).slice(0, 60)} gets 400 ${text}`, async () => {
      const { status, body } = await post(limits);
      assert.deepEqual([status, body.error], [400, text]);
    });
  }

  describe('POST /api/v1/api-keys/:id/rotate', () => {
    const rotate = (id: string, body: object = {}) => app.call('POST', `${keys}/${id}/rotate`, { jwt: account.jwt, body });
    const works = async (key: string) => (await app.call('GET', list, { key })).status;

    it('201 for a rotation: the new API key has the same limits, and the old one works for the overlap', async () => {
      const { data } = await create({ scopes: ['read_messages'], channels: ['sms'], allowed_addresses: ['127.0.0.1'] });
      const { status, body } = await rotate(data.id, { overlap_hours: 2 });
      assert.equal(status, 201);
      const { key, name, scopes, channels, allowed_addresses, expires_at } = body.data;
      assert.deepEqual([name, scopes, channels, allowed_addresses, expires_at], ['x', ['read_messages'], ['sms'], ['127.0.0.1/32'], null]);
      assert.deepEqual([await works(key), await works(data.key)], [200, 200]);
      const [former] = await rows<{ expires_at: Date }>(app.deps.db, 'SELECT expires_at FROM api_keys WHERE id = $1', [data.id]);
      assertAbout(former?.expires_at, Date.now() + 2 * 3_600_000);
      await rows(app.deps.db, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [data.id]);
      assert.deepEqual([await works(key), await works(data.key)], [200, 401]);
    });
    it('201 for a rotation with an overlap of 0, which revokes the old API key at once', async () => {
      const { data } = await create({});
      const { status, body } = await rotate(data.id, { overlap_hours: 0 });
      assert.deepEqual([status, await works(body.data.key), await works(data.key)], [201, 200, 401]);
      assert.equal((await rotate(data.id)).status, 409);
    });
    it('201 for a rotation: the new API key has the lifetime of the old one, whose expiry stays', async () => {
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      const { data } = await create({ expires_at: soon });
      const { status, body } = await rotate(data.id, { overlap_hours: 168 });
      assert.equal(status, 201);
      assert.ok(Date.parse(body.data.expires_at) >= Date.parse(soon));
      const [former] = await rows<{ expires_at: Date }>(app.deps.db, 'SELECT expires_at FROM api_keys WHERE id = $1', [data.id]);
      assert.equal(former?.expires_at.toISOString(), soon);
    });
    it('201 with the same lifetime when an old API key is rotated again after a lost answer', async () => {
      const { data } = await create({});
      for (const _ of [1, 2, 3]) {
        const { status, body } = await rotate(data.id);
        assert.deepEqual([status, body.data.expires_at], [201, null]);
      }
      const lifetimeMs = 30 * 86_400_000;
      const { data: limited } = await create({ expires_at: new Date(Date.now() + lifetimeMs).toISOString() });
      for (const _ of [1, 2]) {
        const { expires_at } = (await rotate(limited.id, { overlap_hours: 1 })).body.data;
        assertAbout(expires_at, Date.now() + lifetimeMs);
      }
    });
    it('409 for the rotation of an expired API key', async () => {
      const { data } = await create({});
      await rows(app.deps.db, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [data.id]);
      const { status, body } = await rotate(data.id);
      assert.deepEqual([status, body.error], [409, 'API key can no longer be rotated']);
    });
    for (const hours of [-1, 169, 1.5]) {
      it(`400 for the rotation of an API key with an overlap of ${hours} hours`, async () => {
        const { data } = await create({});
        const { status, body } = await rotate(data.id, { overlap_hours: hours });
        assert.deepEqual([status, body.error], [400, 'overlap_hours must be a whole number from 0 to 168']);
      });
    }
    it('a rotation of an API key mails the owner and records an audit event', async () => {
      const { data } = await create({});
      await rotate(data.id, { overlap_hours: 3 });
      const { body } = await app.call('GET', '/api/v1/audit-events?type=api_key.rotated', { jwt: account.jwt });
      const [{ target, changes }] = body.data.audit_events;
      assert.deepEqual([target.id, changes.overlap_hours], [data.id, 3]);
      const mails = await rows(app.deps.db, `SELECT 1 AS one FROM mails WHERE workspace_id = $1 AND kind = 'new_api_key'`, [
        account.workspaceId,
      ]);
      assert.equal(mails.length, 2);
    });
  });
});
