/** What a receiver can verify with the secrets and public keys that the API gave. The attempts are those of the worker, in this process. */
import assert from 'node:assert/strict';
import { WebhookVerificationError } from 'standardwebhooks';
import { webhookPoster, type WebhookPoster } from '../../../activities/webhooks/post-webhook.js';
import { encrypt } from '../../../models/rules/values/encryption.js';
import { generateSigningKey } from '../../../models/rules/webhooks/signing-key.js';
import { secretContext, Webhook } from '../../../models/tables/webhook.js';
import { verifyWebhook } from '../../../verify/verify-webhook.js';
import { type Received, type Receiver, startReceiver, trustTestAuthority } from '../../support/network/receiver.js';
import { assertSignedBy, isHexOf } from '../../support/network/signatures.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { webhookOperationActivities } from '../../support/parts/activities.js';
import { useApi } from '../use-api.js';

describe('signatures of a webhook', () => {
  let activities: ReturnType<typeof webhookOperationActivities>;
  const app = useApi({
    temporal: { attempt: ({ deliveryId, trigger }) => inActivity(activities.attemptNow, [{ deliveryId, trigger }]) },
  });
  let poster: WebhookPoster;
  let receiver: Receiver;
  let jwt: string;
  let hook: { id: string; secret: string };
  before(async () => {
    await trustTestAuthority();
    const { config, db } = app.deps;
    poster = webhookPoster(config, { totalTimeoutMs: 10_000 });
    activities = webhookOperationActivities({ db, config, poster });
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    ({ jwt } = await app.account());
    const answer = await app.call('POST', '/api/v1/webhooks', { jwt, body: { url: receiver.url, events: ['message.queued'] } });
    hook = { id: answer.body.data.webhook.id, secret: answer.body.data.secret };
  });
  afterEach(() => receiver.close());
  after(() => poster.close());

  const data = async (method: string, path: string, body?: object) => {
    const answer = await app.call(method, `/api/v1/webhooks/${hook.id}${path}`, { jwt, ...(body === undefined ? {} : { body }) });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body.data;
  };

  it('an asymmetric webhook is signed with its key pair, and with both during a rotation', async () => {
    const { webhook } = await data('PUT', '', { asymmetric: true });
    await data('POST', '/rotate-secret');
    await data('POST', '/test');
    const [{ body, headers }] = receiver.received as [Received];
    assert.deepEqual(
      String(headers['webhook-signature'])
        .split(' ')
        .map((item) => item.split(',')[0]),
      ['v1', 'v1', 'v1a', 'v1a'],
    );
    const { public_key, previous } = await data('GET', '/public-key');
    assert.equal(previous.public_key, webhook.public_key);
    for (const key of [public_key, previous.public_key]) assert.equal(verifyWebhook(body, headers, key).event, 'webhook.test');
    assert.throws(() => verifyWebhook(body, headers, generateSigningKey().publicKey), { fault: 'signature' });
  });

  it('a webhook is signed with a key pair that was requested with the id in capital letters', async () => {
    const path = `/api/v1/webhooks/${hook.id.toUpperCase()}`;
    const { webhook } = (await app.call('PUT', path, { jwt, body: { asymmetric: true } })).body.data;
    const { delivery } = await data('POST', '/test');
    assert.deepEqual([delivery.status, delivery.attempts[0].error], ['succeeded', null]);
    const [{ body, headers }] = receiver.received as [Received];
    assert.equal(verifyWebhook(body, headers, webhook.public_key).event, 'webhook.test');
  });

  it('a webhook is signed with a rotated secret at once, and with the old one during the overlap', async () => {
    const { secret } = await data('POST', '/rotate-secret');
    await data('POST', '/test');
    const [first] = receiver.received as [Received];
    assertSignedBy(secret, first);
    assertSignedBy(hook.secret, first);
    assert.deepEqual([isHexOf(secret, first), isHexOf(hook.secret, first)], [true, false]);
    assert.equal(String(first.headers['webhook-signature']).split(' ').length, 2);
    const { secret: newest } = await data('POST', '/rotate-secret', { overlap_hours: 0 });
    await data('POST', '/test');
    const second = receiver.received[1] as Received;
    assertSignedBy(newest, second);
    assert.ok(isHexOf(newest, second));
    assert.throws(() => assertSignedBy(secret, second), WebhookVerificationError);
  });

  it('a webhook whose secret cannot be read is signed with the rotated one at once', async () => {
    const foreign = encrypt('x'.repeat(32), secretContext(hook.id), hook.secret);
    await Webhook.update({ secret: foreign }, { where: { id: hook.id } });
    assert.equal((await data('POST', '/test')).delivery.attempts[0].error, 'undecryptable_secret');
    const { secret, warning } = await data('POST', '/rotate-secret');
    assert.equal((await data('POST', '/test')).delivery.attempts[0].error, null);
    assertSignedBy(secret, receiver.received[0] as Received);
    assert.match(warning, /The previous secret is void/);
  });
});
