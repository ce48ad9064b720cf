import assert from 'node:assert/strict';
import { until } from '../../support/client.js';
import type { CollectedSpan } from '../../support/network/collector.js';
import { startReceiver } from '../../support/network/receiver.js';
import { callTool, sms, useMcp } from '../mcp/mcp-client.js';
import { spanOf, traceOf, tree, useTracedService } from './use-traced-service.js';

const recipient = '+15551239876';
const text = 'Your code is 424242';
const clientTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const clientSpan = '00f067aa0ba902b7';
const send = 'POST /api/v1/messages/send';
/** The spans of a single message without a webhook. */
const ofMessage = [
  send,
  'accept',
  'RunWorkflow:sendMessage',
  'RunActivity:acceptMessages',
  'RunActivity:dispatchMessages',
  'hand-off sms',
  'report delivered',
  'RunActivity:applyReports',
];
/** The activities and workflows of a batch of one page. */
const ofBatch = [
  'RunWorkflow:sendBatch',
  'RunActivity:acceptBatch',
  'RunActivity:batchPages',
  'RunWorkflow:sendGroup',
  'RunActivity:sendGroup',
];
const deliveries = ['deliver message.queued', 'deliver message.sent', 'deliver message.delivered'];

describe('traces', () => {
  const stage = useTracedService();
  const connect = useMcp(() => stage.url);

  it('a message is one trace: request, workflow, activities, carrier, report', async () => {
    const { id } = await stage.client.send(stage.account, { to: recipient, content: { text } });
    const spans = await stage.collector.trace(traceOf(id), ofMessage);
    assert.deepEqual(tree(spans), {
      [send]: 'none',
      accept: send,
      'RunWorkflow:sendMessage': 'accept',
      'RunActivity:acceptMessages': 'RunWorkflow:sendMessage',
      'RunActivity:dispatchMessages': 'RunWorkflow:sendMessage',
      'hand-off sms': 'RunActivity:dispatchMessages',
      'report delivered': send,
      'RunActivity:applyReports': 'RunWorkflow:sendMessage',
    });
    const [root, call] = [spanOf(spans, send), spanOf(spans, 'hand-off sms')];
    assert.ok(root !== undefined && call !== undefined);
    assert.deepEqual(root.attributes, {
      'http.request.method': 'POST',
      'http.route': '/api/v1/messages/send',
      'http.response.status_code': 201,
      'workspace.id': stage.account.workspaceId,
    });
    const { 'messaging.message.id': messageId, 'workspace.id': workspaceId, outcome } = call.attributes;
    assert.deepEqual([messageId, workspaceId, outcome], [id, stage.account.workspaceId, 'accepted']);
    assert.deepEqual(
      [root.resource['service.name'], root.resource['process.part'], call.resource['process.part']],
      ['post', 'api', 'worker'],
    );
    assert.ok(spans.every(({ begunAt, endedAt }) => begunAt <= endedAt && endedAt <= Date.now()));
    assert.equal(stage.collector.headers[0]?.authorization, 'Bearer abc');
  });

  it('the trace of a client goes on up to its receiver', async () => {
    const hooked = await stage.client.signUp();
    await stage.client.hook(hooked, `${stage.receiver.url}?token=secret`);
    const { id } = await stage.client.send(
      hooked,
      { to: recipient, content: { text } },
      { traceparent: `00-${clientTrace}-${clientSpan}-00` },
    );
    const received = await stage.receiver.untilReceived(3);
    const spans = await stage.collector.trace(clientTrace, [...ofMessage, ...deliveries, 'RunActivity:deliverEvents']);
    const root = spanOf(spans, send);
    assert.equal(root?.parentId, clientSpan);
    const delivered = spans.filter(({ name }) => deliveries.includes(name));
    assert.deepEqual(
      new Set(received.map(({ headers }) => headers.traceparent)),
      new Set(delivered.map(({ spanId }) => `00-${clientTrace}-${spanId}-01`)),
    );
    assert.ok(
      delivered.every(({ attributes }) => attributes['messaging.message.id'] === id && attributes['http.response.status_code'] === 200),
    );
    for (const { parentId } of delivered) assert.equal(spans.find(({ spanId }) => spanId === parentId)?.name, 'RunActivity:deliverEvents');
  });

  it('the next step of a fallback is a trace of its own, linked to the message before it', async () => {
    const fallback = [{ channel: 'sms', to: '+15551230001', after: 600 }];
    const { id } = await stage.client.send(stage.account, { channel: 'whatsapp', to: '+15005550001', fallback });
    const { fallback: chain } = await stage.client.messageUntil(stage.account, id, (message) => message.fallback?.outcome === 'sent');
    const spans = await stage.collector.trace(traceOf(chain.message_id), ['fall back to sms', 'hand-off sms', 'report delivered']);
    const begin = spanOf(spans, 'fall back to sms');
    assert.equal(begin?.links[0]?.traceId, traceOf(id));
    assert.deepEqual(tree(spans), {
      'fall back to sms': 'none',
      'hand-off sms': 'fall back to sms',
      'report delivered': 'fall back to sms',
    });
    const refused = spanOf(await stage.collector.trace(traceOf(id), ['hand-off whatsapp']), 'hand-off whatsapp');
    assert.deepEqual([refused?.isError, refused?.attributes.outcome], [true, 'rejected']);
  });

  it('a repeated attempt of a webhook is in the trace of its message', async () => {
    const retried = await stage.client.signUp();
    const failing = await startReceiver((_received, response, index) => response.writeHead(index === 0 ? 500 : 200).end());
    await stage.client.hook(retried, failing.url, ['message.delivered']);
    const { id } = await stage.client.send(retried);
    await failing.untilReceived(2);
    await failing.close();
    const attempts = () =>
      stage.collector.spans.filter(({ traceId, name }) => traceId === traceOf(id) && name === 'deliver message.delivered');
    await until(() => attempts().length === 2, 'both attempts are recorded');
    const told = attempts().map(({ isError, attributes }) => [attributes.attempt, attributes['http.response.status_code'], isError]);
    assert.deepEqual(told, [
      [1, 500, true],
      [2, 200, false],
    ]);
  });

  it('messages that share a workflow are traces of their own, linked to it', async () => {
    const sent = await Promise.all(Array.from({ length: 12 }, () => stage.client.send(stage.account)));
    const all = () => sent.map(({ id }) => stage.collector.spans.filter(({ traceId }) => traceId === traceOf(id)));
    const ofEach = [send, 'accept', 'hand-off sms', 'report delivered'];
    const isComplete = (spans: CollectedSpan[]) => ofEach.every((wanted) => spanOf(spans, wanted) !== undefined);
    await until(
      () => all().every(isComplete) && all().some((spans) => spanOf(spans, 'RunActivity:sendGroup') !== undefined),
      'all traces are there',
    );
    const traces = all();
    const first = traces.find((spans) => spanOf(spans, 'RunActivity:sendGroup') !== undefined) ?? [];
    const accept = spanOf(first, 'accept');
    const activities = new Set(first.filter(({ name }) => name === 'RunActivity:sendGroup').map(({ spanId }) => spanId));
    const size = Number(accept?.attributes['messaging.batch.message_count']);
    assert.ok(size > 1);
    assert.equal(accept?.links.length, size - 1);
    const others = traces.filter((spans) =>
      spans.some(({ name, links }) => name === 'accept' && links.some(({ spanId }) => spanId === accept?.spanId)),
    );
    assert.equal(others.length, size - 1);
    for (const spans of others) {
      const call = spanOf(spans, 'hand-off sms');
      assert.equal(tree(spans)['hand-off sms'], send);
      assert.ok(call?.links.some(({ spanId }) => activities.has(spanId)));
    }
  });

  it('a batch is one trace, and each of its messages is one that is linked to it', async () => {
    const body = { channel: 'sms', content: { text }, recipients: [{ to: recipient }, { to: '+15551239877' }] };
    const answer = await stage.client.call('POST', '/api/v1/messages/bulk', { body, headers: { 'X-API-Key': stage.account.apiKey } });
    const { id } = answer.body.data.batch;
    const bulk = 'POST /api/v1/messages/bulk';
    const spans = await stage.collector.trace(traceOf(id), [bulk, 'accept', ...ofBatch]);
    const page = spanOf(spans, 'RunActivity:sendGroup');
    assert.equal(tree(spans)['RunWorkflow:sendGroup'], 'accept');
    const calls = () =>
      stage.collector.spans.filter(({ name, links }) => name === 'hand-off sms' && links.some(({ traceId }) => traceId === traceOf(id)));
    await until(() => calls().length === 2, 'both messages are handed off');
    assert.ok(calls().every(({ parentId, links }) => parentId === '' && links[0]?.spanId === page?.spanId));
  });

  it('each attempt of a test event is a span of its own', async () => {
    const tester = await stage.client.signUp();
    const headers = { Authorization: `Bearer ${tester.token}` };
    const failing = await startReceiver((_received, response) => response.writeHead(500).end());
    const { id } = await stage.client.hook(tester, failing.url);
    await stage.client.call('POST', `/api/v1/webhooks/${id}/test`, { headers });
    const { body } = await stage.client.call('GET', `/api/v1/webhooks/${id}/deliveries`, { headers });
    await stage.client.call('POST', `/api/v1/webhooks/${id}/deliveries/${body.data.deliveries[0].id}/resend`, { headers });
    await failing.close();
    const attempts = () =>
      stage.collector.spans.filter(({ name, attributes }) => name === 'deliver webhook.test' && attributes['webhook.id'] === id);
    await until(() => attempts().length === 2, 'both attempts are recorded');
    assert.equal(new Set(attempts().map(({ spanId }) => spanId)).size, 2);
  });

  it('a message that an assistant sends is one trace, which begins with its request', async () => {
    const client = await connect({ 'X-API-Key': stage.account.apiKey });
    const { preview_token } = (await callTool(client, 'preview_messages', sms)).data;
    const { message } = (await callTool(client, 'send_message', { ...sms, preview_token })).data;
    const spans = tree(await stage.collector.trace(traceOf(message.id), ['POST /mcp', 'accept']));
    assert.deepEqual([spans['POST /mcp'], spans.accept], ['none', 'POST /mcp']);
  });

  it('traces contain no recipient, text, key or address of a receiver', () => {
    const shown = JSON.stringify(stage.collector.spans);
    assert.ok(stage.collector.spans.length > 50);
    for (const secret of [recipient.slice(1), '424242', stage.account.apiKey, 'token=secret', stage.account.email])
      assert.ok(!shown.includes(secret), secret);
  });
});
