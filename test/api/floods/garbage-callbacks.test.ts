import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { nowhere } from '../../support/carriers/counterpart.js';
import { metaAccount, metaEnv } from '../../support/carriers/meta.js';
import type { TestApp } from '../start-app.js';
import { useApi } from '../use-api.js';

const forged = { 'X-Sandbox-Timestamp': '1', 'X-Sandbox-Signature': '0'.repeat(64) };

/** The answer to a callback of which nothing but the head is sent. */
async function answerToHead(app: TestApp, path: string, headers: Record<string, string> = {}): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const lines = Object.entries({ Host: 'x', 'Content-Length': '400000', ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return String(answer).slice(9, 12);
}

const twilio = { PROVIDER_SMS: 'twilio', TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'token', TWILIO_FROM: '+15005550100' };

describe('unsigned callbacks', () => {
  const app = useApi({ env: { RATE_LIMIT_API: '5/60', ...twilio, ...metaEnv(nowhere) }, forEachTest: true });
  const post = async (headers: Record<string, string>) =>
    (await app.call('POST', '/callbacks/sandbox', { body: '{"reports":[]}', headers })).status;
  const signed = () => signSandboxCallback(app.deps.config.secretKey, '{"reports":[]}');

  it('404, 403 and 413 for unsigned callbacks before their bodies are read', async () => {
    assert.equal(await answerToHead(app, '/callbacks/nobody'), '404');
    assert.equal(await answerToHead(app, '/callbacks/sandbox'), '403');
    assert.equal(await answerToHead(app, '/callbacks/sandbox', { ...forged, 'X-Sandbox-Signature': 'x' }), '403');
    assert.equal(await answerToHead(app, '/callbacks/sandbox', { ...forged, 'Content-Length': '600000' }), '413');
    assert.equal(await answerToHead(app, '/unsubscribe/x', { 'Content-Length': '100000' }), '404');
  });

  it('200 for a signed callback of Meta of 3 MB, and 413 for a larger one', async () => {
    const postOf = (bytes: number) => {
      const body = '{"entry":[]}'.padEnd(bytes);
      const signature = createHmac('sha256', metaAccount.appSecret).update(body).digest('hex');
      return app.call('POST', '/callbacks/meta', { body, headers: { 'X-Hub-Signature-256': `sha256=${signature}` } });
    };
    const most = 3 * 1024 * 1024;
    assert.deepEqual([(await postOf(most)).status, (await postOf(most + 1)).status], [200, 413]);
  });

  it('429 for callbacks after too many unsigned ones from one address, before the body is read', async () => {
    const statuses = [];
    for (let index = 0; index < 8; index += 1) statuses.push(await post(forged));
    assert.deepEqual(statuses, [403, 403, 403, 403, 403, 429, 429, 429]);
    assert.equal(await post(signed()), 429);
  });

  it('200 for signed callbacks after too many unsigned ones from their address, if one was signed before', async () => {
    assert.equal(await post(signed()), 200);
    for (let index = 0; index < 8; index += 1) assert.equal(await post(forged), 403);
    assert.equal(await post(signed()), 200);
    for (let index = 0; index < 492; index += 1) await post(forged);
    assert.deepEqual([await post(forged), await post(signed())], [429, 429], 'a hundred times as many are too many again');
  });

  it('429 after too many unsigned callbacks for the attacked account and operation alone, also with invented names', async () => {
    for (let index = 0; index < 6; index += 1) await app.call('POST', `/callbacks/nobody-${index}`, { body: '{}' });
    assert.equal((await app.call('POST', '/callbacks/nobody', { body: '{}' })).status, 429);
    for (let index = 0; index < 6; index += 1) await post(forged);
    assert.equal(await post(signed()), 429);
    assert.equal((await app.call('POST', '/callbacks/twilio', { body: '' })).status, 403);
    assert.equal((await app.call('POST', '/unsubscribe/x')).status, 404);
  });

  it('200 for many signed callbacks from one address', async () => {
    for (let index = 0; index < 20; index += 1) {
      const body = '{"reports":[]}';
      const headers = signSandboxCallback(app.deps.config.secretKey, body);
      assert.equal((await app.call('POST', '/callbacks/sandbox', { body, headers })).status, 200);
    }
  });
});

describe('unsigned events of the payment provider', () => {
  const app = useApi({ env: { STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec_test' } });

  it('400 for a payment event with an impossible signature, before the body is read', async () => {
    assert.equal(await answerToHead(app, '/api/v1/billing/webhook'), '400');
    assert.equal(await answerToHead(app, '/api/v1/billing/webhook', { 'Stripe-Signature': 't=1,v1=' }), '400');
  });
});
