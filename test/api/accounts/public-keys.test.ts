import assert from 'node:assert/strict';
import { decrypt } from '../../../models/rules/values/encryption.js';
import { signingKeyContext, Webhook } from '../../../models/tables/webhook.js';
import { assertAbout } from '../../support/measure/times.js';
import type { Answer } from '../start-app.js';
import { useApi } from '../use-api.js';

const hooks = '/api/v1/webhooks';
const good = { url: 'https://8.8.8.8/hook', events: ['message.sent'] };
const form = /^whpk_[A-Za-z0-9+/]{43}=$/;

describe('public keys of webhooks', () => {
  const app = useApi();
  let jwt: string;
  beforeEach(async () => {
    ({ jwt } = await app.account());
  });

  const call = (method: string, path: string, body?: object) =>
    app.call(method, hooks + path, { jwt, ...(body === undefined ? {} : { body }) });
  const create = async (fields: object = {}) => {
    const { status, body } = await call('POST', '', { ...good, ...fields });
    assert.equal(status, 201);
    return body.data.webhook;
  };
  const keysOf = async (id: string) => (await call('GET', `/${id}/public-key`)).body.data;
  const stored = (id: string) => Webhook.findByPk(id, { rejectOnEmpty: true });
  const shown = ({ status, body }: Answer) => {
    assert.equal(status, 200);
    return [body.data.webhook.asymmetric, body.data.webhook.public_key];
  };

  it('201 for an asymmetric webhook with its public key, and the private key is stored encrypted', async () => {
    const answer = await call('POST', '', { ...good, asymmetric: true });
    const { id, asymmetric, public_key } = answer.body.data.webhook;
    assert.deepEqual([answer.status, asymmetric], [201, true]);
    assert.match(public_key, form);
    assert.match(answer.body.data.secret, /^whsec_/, 'it has a secret as well');
    assert.deepEqual(await keysOf(id), { public_key, previous: null });
    assert.deepEqual(shown(await call('GET', `/${id}`)), [true, public_key]);
    const { signing_key } = await stored(id);
    assert.match(decrypt(app.deps.config.secretKeys, signingKeyContext(id), signing_key ?? Buffer.alloc(0)), /^whsk_/);
    assert.ok(!JSON.stringify([answer.body, (await call('GET', `/${id}`)).body]).includes('whsk_'));
  });

  it('201 for a webhook without a public key where none is requested', async () => {
    for (const fields of [{}, { asymmetric: null }, { asymmetric: false }]) {
      const { id } = await create(fields);
      assert.deepEqual(await keysOf(id), { public_key: null, previous: null });
      assert.deepEqual(shown(await call('GET', `/${id}`)), [false, null]);
    }
    assert.deepEqual(Object.keys(await create()), ['id', 'url', 'events', 'is_active', 'created_at']);
  });

  it('200 for a PUT that adds, keeps or removes the public key of a webhook', async () => {
    const { id } = await create();
    const put = async (body: object) => shown(await call('PUT', `/${id}`, body));
    const given = await put({ asymmetric: true });
    assert.match(given[1], form);
    assert.deepEqual(await put({ asymmetric: true }), given);
    assert.deepEqual(await put({ description: 'x' }), given);
    assert.deepEqual(await put({ asymmetric: false }), [false, null]);
    const { signing_key, old_signing_key, old_public_key } = await stored(id);
    assert.deepEqual([signing_key, old_signing_key, old_public_key], [null, null, null]);
    assert.notDeepEqual(await put({ asymmetric: true }), given);
    assert.equal((await call('PUT', `/${id}`, { asymmetric: 'yes' })).status, 400);
  });

  it('200 with the same public key for two PUTs at once', async () => {
    const { id } = await create();
    const [one, two] = await Promise.all([call('PUT', `/${id}`, { asymmetric: true }), call('PUT', `/${id}`, { asymmetric: true })]);
    assert.deepEqual(shown(one), shown(two));
    assert.deepEqual(shown(one), [true, (await stored(id)).public_key]);
  });

  it('200 for a rotation of a key pair, and the previous public key is shown as long as it signs', async () => {
    const { id, public_key: first } = await create({ asymmetric: true });
    const rotate = async (overlap_hours: number) => {
      const { status, body } = await call('POST', `/${id}/rotate-secret`, { overlap_hours });
      assert.equal(status, 200);
      return body.data.webhook.public_key;
    };
    const second = await rotate(2);
    const { public_key, previous } = await keysOf(id);
    assert.deepEqual([public_key, previous.public_key], [second, first]);
    assert.notEqual(second, first);
    assertAbout(previous.until, Date.now() + 2 * 3_600_000);
    await Webhook.update({ old_secret_until: new Date(Date.now() - 1) }, { where: { id } });
    assert.deepEqual(await keysOf(id), { public_key: second, previous: null });
    const third = await rotate(0);
    assert.deepEqual(await keysOf(id), { public_key: third, previous: null });
    assert.equal((await stored(id)).old_signing_key, null);
  });

  it('404 for the public key of a webhook of another workspace', async () => {
    const { id } = await create({ asymmetric: true });
    const stranger = await app.account();
    for (const [path, caller] of [
      [`${hooks}/${id}/public-key`, stranger.jwt],
      [`${hooks}/x/public-key`, jwt],
    ] as const) {
      const { status, body } = await app.call('GET', path, { jwt: caller });
      assert.deepEqual([status, body.error], [404, 'Webhook not found']);
    }
  });
});
