import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { webhookPoster, type WebhookPoster } from '../../../activities/webhooks/post-webhook.js';
import { deliveryHeaders, generateWebhookSecret, maskSignatures } from '../../../models/rules/webhooks/signed-headers.js';
import { testConfig } from '../../support/config.js';
import { acknowledge, type Answer, answerWith, type Receiver, startReceiver, trustTestAuthority } from '../../support/network/receiver.js';

describe('the trace of a POST', () => {
  let receiver: Receiver;
  let poster: WebhookPoster;
  before(trustTestAuthority);
  const resolve = () => new Promise<LookupAddress[]>((done) => setImmediate(done, [{ address: '127.0.0.1', family: 4 }]));
  beforeEach(async () => {
    receiver = await startReceiver();
    poster = webhookPoster(testConfig(), { resolve });
  });
  afterEach(async () => {
    poster.close();
    await receiver.close();
  });

  const named = () => `https://localhost:${receiver.port}/hook`;
  const post = (url = receiver.url) => poster.post(url, { 'webhook-id': 'evt-1' }, '{}');
  const answered = (answer: Answer) => {
    receiver.answer = answer;
    return post();
  };

  it('the trace of a POST has the time of each step on a new connection, and the address', async () => {
    const { timings, remoteAddress, durationMs } = await post(named());
    const { dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms } = timings;
    const parts = [dns_ms, connect_ms, tls_ms, first_byte_ms];
    assert.ok(
      parts.every((part) => part !== null && Number.isInteger(part) && part >= 0),
      JSON.stringify(timings),
    );
    assert.ok(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0) <= total_ms + parts.length, 'parts are rounded, and no more');
    assert.deepEqual([remoteAddress, durationMs], ['127.0.0.1', total_ms]);
  });

  it('the trace of a POST has only the steps that took place', async () => {
    const first = await post();
    assert.deepEqual([first.timings.dns_ms, typeof first.timings.connect_ms, typeof first.timings.tls_ms], [null, 'number', 'number']);
    const { timings, remoteAddress, requestHeaders } = await post();
    const { first_byte_ms, total_ms, ...rest } = timings;
    assert.deepEqual(rest, { dns_ms: null, connect_ms: null, tls_ms: null });
    assert.ok(first_byte_ms !== null && first_byte_ms <= total_ms + 1);
    assert.deepEqual([remoteAddress, requestHeaders?.['webhook-id']], ['127.0.0.1', 'evt-1']);
  });

  it('the trace of a POST has the headers of request and answer', async () => {
    const { requestHeaders, responseHeaders } = await answered(answerWith(503, { 'Retry-After': '17', 'X-Trace': 'abc' }));
    const host = `127.0.0.1:${receiver.port}`;
    assert.deepEqual(requestHeaders, { 'webhook-id': 'evt-1', 'content-length': '2', 'accept-encoding': 'identity', host });
    assert.deepEqual([responseHeaders?.['retry-after'], responseHeaders?.['x-trace']], ['17', 'abc']);
  });

  it('the trace of a POST has a limited part of long headers', async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x-${index}`, 'y'.repeat(200)]));
    const { responseHeaders } = await answered(answerWith(200, { 'x-long': 'z'.repeat(1_000), ...many }));
    assert.deepEqual([Object.keys(responseHeaders ?? {}).length, responseHeaders?.['x-long']], [40, 'z'.repeat(256)]);
  });

  it('the trace of a POST has the request, and null for the time of the first byte, without an answer', async () => {
    poster.close();
    poster = webhookPoster(testConfig(), { totalTimeoutMs: 1_000, resolve });
    const { timings, requestHeaders, responseHeaders, error } = await answered(() => undefined);
    assert.deepEqual([timings.first_byte_ms, responseHeaders, error], [null, null, 'timeout']);
    assert.ok(timings.total_ms >= 995 && requestHeaders !== null);
  });

  it('the trace of a POST is empty for an address without a connection', async () => {
    const { requestHeaders, remoteAddress, timings } = await post('https://10.0.0.1/');
    assert.deepEqual([requestHeaders, remoteAddress, timings.connect_ms], [null, null, null]);
  });

  it('the trace of a POST masks signatures only', async () => {
    const secrets = [generateWebhookSecret(), generateWebhookSecret()];
    const headers = deliveryHeaders({ id: 'evt-1', type: 'message.sent', body: '{}', secrets, timestampSeconds: 1 });
    receiver.answer = acknowledge;
    const { requestHeaders } = await poster.post(receiver.url, headers, '{}');
    const masked = maskSignatures(requestHeaders ?? {});
    assert.deepEqual([masked['x-service-signature'], masked['webhook-signature']], ['***', 'v1,*** v1,***']);
    assert.deepEqual([masked['webhook-id'], masked['webhook-timestamp'], masked['x-service-event']], ['evt-1', '1', 'message.sent']);
    assert.equal(Object.keys(masked).length, Object.keys(requestHeaders ?? {}).length);
  });
});
