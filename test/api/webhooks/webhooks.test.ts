import assert from 'node:assert/strict';
import { decrypt } from '../../../models/rules/values/encryption.js';
import { eventTypes } from '../../../models/rules/webhooks/events.js';
import { secretContext, Webhook } from '../../../models/tables/webhook.js';
import { useApi } from '../use-api.js';

const hooks = '/api/v1/webhooks';
const good = { url: 'https://127.0.0.1:9443/hook', events: ['message.sent', 'message.failed'] };

describe('webhooks', () => {
  const app = useApi();
  let jwt: string;
  let key: string;
  beforeEach(async () => {
    ({ jwt, key } = await app.account());
  });

  describe('POST /api/v1/webhooks', () => {
    it('201 for a webhook, whose secret is shown once and stored encrypted', async () => {
      const { status, body } = await app.call('POST', hooks, {
        jwt,
        body: { ...good, events: [...good.events, 'message.sent'], is_active: false },
      });
      assert.equal(status, 201);
      const { webhook, secret } = body.data;
      assert.deepEqual(Object.keys(webhook), ['id', 'url', 'events', 'is_active', 'created_at']);
      assert.deepEqual([webhook.url, webhook.events, webhook.is_active], [good.url, good.events, true]);
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      const row = await Webhook.findByPk(webhook.id);
      assert.equal(decrypt(app.deps.config.secretKeys, secretContext(webhook.id), row?.secret ?? Buffer.alloc(0)), secret);
      assert.ok(!JSON.stringify((await app.call('GET', `${hooks}/${webhook.id}`, { jwt })).body).includes(secret));
    });
    it('201 for a webhook with an API key that has the scope', async () => {
      const { status, body } = await app.call('POST', hooks, { key, body: good });
      assert.equal(status, 201);
      assert.equal((await app.call('GET', `${hooks}/${body.data.webhook.id}`, { jwt })).status, 200);
    });
    const enumText = `Invalid events. Must be one of: ${eventTypes.join(', ')}`;
    const refused: [object, string][] = [
      [{}, 'Missing required field: url'],
      [{ ...good, url: 'http://example.com' }, 'Webhook URL must use HTTPS'],
      [{ ...good, url: 'example.com' }, 'Webhook URL must use HTTPS'],
      [{ ...good, url: 5 }, 'url must be a string'],
      [{ ...good, url: 'https://10.0.0.1/' }, 'Webhook URL must not point to a private address'],
      [{ ...good, url: 'https://169.254.169.254/' }, 'Webhook URL must not point to a private address'],
      [{ ...good, url: 'https://8.8.8.8:9443/' }, 'Webhook URL must use port 443 or 8443'],
      [{ ...good, url: 'https://example.com:80/' }, 'Webhook URL must use port 443 or 8443'],
      [{ ...good, events: [] }, enumText],
      [{ ...good, events: ['message.read'] }, enumText],
      [{ ...good, events: 'message.sent' }, 'events must be an array'],
      [{ url: good.url }, 'Missing required field: events'],
      [{ ...good, description: 'x'.repeat(501) }, 'description must be at most 500 characters'],
    ];
    for (const [body, text] of refused) {
      it(`400 ${text} for the webhook ${JSON.stringify(body).slice(0, 60)}`, async () => {
        const earlier = await Webhook.count();
        const answer = await app.call('POST', hooks, { jwt, body });
        assert.deepEqual([answer.status, answer.body.error], [400, text]);
        assert.equal(await Webhook.count(), earlier);
      });
    }
    it('201 for a webhook to a name that does not resolve, or resolves to an allowed network', async () => {
      for (const url of ['https://nowhere.invalid/hook', 'https://localhost:9443/hook']) {
        assert.equal((await app.call('POST', hooks, { jwt, body: { ...good, url } })).status, 201, url);
      }
    });
  });

  it('400 for a webhook to a name that resolves only to private addresses', async () => {
    const { webhookAllowedNetworks } = app.deps.config;
    Object.assign(app.deps, { config: { ...app.deps.config, webhookAllowedNetworks: [] } });
    const { status, body } = await app.call('POST', hooks, { jwt, body: { ...good, url: 'https://localhost/hook' } });
    assert.deepEqual([status, body.error], [400, 'Webhook URL must not point to a private address']);
    Object.assign(app.deps, { config: { ...app.deps.config, webhookAllowedNetworks } });
  });

  describe('credentials', () => {
    const cases: [string, object, number, string][] = [
      ['no credential', {}, 401, 'Invalid or expired token'],
      ['a bad token', { jwt: 'x.y.z' }, 401, 'Invalid or expired token'],
      ['a bad key', { key: 'x' }, 401, 'Invalid API key'],
      ['an empty key', { key: '' }, 401, 'Invalid or expired token'],
    ];
    for (const [who, credential, status, text] of cases) {
      it(`${status} for the list of webhooks with ${who}`, async () => {
        const answer = await app.call('GET', hooks, credential);
        assert.deepEqual([answer.status, answer.body.error], [status, text]);
      });
    }
    it('403 for the list of webhooks with a key without the scope', async () => {
      const other = await app.account({ scopes: ['send_messages', 'read_messages'] });
      const answer = await app.call('GET', hooks, { key: other.key });
      assert.deepEqual([answer.status, answer.body.error], [403, 'API key does not have required scope: manage_webhooks']);
    });
  });

  it('200 for the list of the event types', async () => {
    const { status, body } = await app.call('GET', `${hooks}/events`, { jwt });
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.events.map(({ type }: { type: string }) => type),
      ['message.queued', 'message.sent', 'message.delivered', 'message.failed'],
    );
  });
});
