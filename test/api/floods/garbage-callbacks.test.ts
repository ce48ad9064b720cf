import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { startApp, type TestApp } from '../start-app.js';

const forged = { 'X-Sandbox-Timestamp': '1', 'X-Sandbox-Signature': '0'.repeat(64) };

describe('unsigned callbacks', () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp({ RATE_LIMIT_API: '5/60' });
  });
  afterEach(() => app.close());

  /** The answer to a callback of which nothing but the head is sent. */
  const answerToHead = async (path: string, headers: Record<string, string> = {}) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const lines = Object.entries({ Host: 'x', 'Content-Length': '400000', ...headers }).map(([name, value]) => `${name}: ${value}`);
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    socket.destroy();
    return String(answer).slice(9, 12);
  };

  it('404, 403 and 413 before the body is read', async () => {
    assert.equal(await answerToHead('/callbacks/nobody'), '404');
    assert.equal(await answerToHead('/callbacks/sandbox'), '403');
    assert.equal(await answerToHead('/callbacks/sandbox', { ...forged, 'X-Sandbox-Signature': 'x' }), '403');
    assert.equal(await answerToHead('/callbacks/sandbox', { ...forged, 'Content-Length': '600000' }), '413');
  });

  it('400 for an impossible signature of the payment provider', async () => {
    await app.close();
    app = await startApp({ STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec_test' });
    assert.equal(await answerToHead('/api/v1/billing/webhook'), '400');
    assert.equal(await answerToHead('/api/v1/billing/webhook', { 'Stripe-Signature': 't=1,v1=' }), '400');
  });

  it('429 after too many from one address, before the body is read', async () => {
    const post = (headers: Record<string, string>) => app.call('POST', '/callbacks/sandbox', { body: '{"reports":[]}', headers });
    const statuses = [];
    for (let index = 0; index < 8; index += 1) statuses.push((await post(forged)).status);
    assert.deepEqual(statuses, [403, 403, 403, 403, 403, 429, 429, 429]);
    assert.equal((await post(signSandboxCallback(app.deps.config.secretKey, '{"reports":[]}'))).status, 429);
  });

  it('200 for signed callbacks from the same address', async () => {
    for (let index = 0; index < 20; index += 1) {
      const body = '{"reports":[]}';
      const headers = signSandboxCallback(app.deps.config.secretKey, body);
      assert.equal((await app.call('POST', '/callbacks/sandbox', { body, headers })).status, 200);
    }
  });
});
