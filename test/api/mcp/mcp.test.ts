/** The MCP server of a running service, used by the client of the official SDK. */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Account, type Json, restClient } from '../../support/client.js';
import { type Collector, startCollector } from '../../support/network/collector.js';
import { startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';

const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
const allTools = [
  'preview_messages',
  'send_message',
  'get_message',
  'list_messages',
  'get_message_timeline',
  'list_webhooks',
  'list_deliveries',
  'resend_delivery',
];

describe('the MCP server', () => {
  let service: Service;
  let account: Account;
  let collector: Collector;
  const clients: Client[] = [];
  before(async () => {
    collector = await startCollector();
    const env = { MCP: 'on', MCP_SENDS_DAY: '3', SANDBOX_DELAY_MS: '1', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    service = await startService({ env });
    account = await restClient(service.url).signUp();
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await service.stop();
    await collector.close();
  });

  async function connect(headers: Record<string, string> = { 'X-API-Key': account.apiKey }): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } });
    await client.connect(transport);
    clients.push(client);
    return client;
  }

  /** What a tool answers, parsed. */
  async function call(client: Client, name: string, args: object = {}): Promise<{ isError: boolean; data: Json }> {
    const { content, isError = false } = await client.callTool({ name, arguments: args as Record<string, unknown> });
    const [first] = content as { text: string }[];
    return { isError: isError === true, data: JSON.parse(first?.text ?? 'null') };
  }

  it('offers each tool with its arguments', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      allTools,
    );
    for (const { inputSchema, description = '' } of tools) assert.ok(inputSchema.type === 'object' && description !== '');
    const send = tools.find(({ name }) => name === 'send_message');
    assert.deepEqual(send?.inputSchema.required, ['channel', 'content', 'preview_token']);
    assert.ok(Object.hasOwn(send.inputSchema.properties ?? {}, 'to'));
    assert.deepEqual(tools.find(({ name }) => name === 'list_deliveries')?.inputSchema.required, ['id']);
  });

  it('sends a message that was previewed, once for each preview, and tells how it went', async () => {
    const client = await connect({ Authorization: `Bearer ${account.apiKey}` });
    const { data: preview } = await call(client, 'preview_messages', sms);
    assert.deepEqual([preview.credits, preview.messages[0].text], [1, 'Hello']);
    const { preview_token } = preview;
    const sent = await call(client, 'send_message', { ...sms, preview_token });
    assert.equal(sent.isError, false, JSON.stringify(sent.data));
    const { id } = sent.data.message;
    const trace = String(sent.data.message.id).replaceAll('-', '');
    const spans = await collector.trace(trace, ['POST /mcp', 'accept']);
    const request = spans.find(({ name }) => name === 'POST /mcp');
    assert.equal(spans.find(({ name }) => name === 'accept')?.parentId, request?.spanId, 'its trace begins with its request');
    const again = await call(client, 'send_message', { ...sms, preview_token });
    assert.equal(again.data.message.id, id);
    await restClient(service.url).messageUntil(account, id, ({ status }) => status === 'delivered');
    assert.equal((await call(client, 'get_message', { id })).data.message.status, 'delivered');
    const { data: list } = await call(client, 'list_messages', { status: 'delivered', limit: 5 });
    assert.deepEqual(
      list.messages.map((message: Json) => message.id),
      [id],
    );
    const { data: found } = await call(client, 'get_message_timeline', { id });
    assert.equal(found.timeline.steps[0].type, 'accepted');
  });

  it('sends nothing without a preview of exactly this message', async () => {
    const own = await restClient(service.url).signUp();
    const client = await connect({ 'X-API-Key': own.apiKey });
    const { preview_token } = (await call(client, 'preview_messages', sms)).data;
    const stranger = (await call(await connect(), 'preview_messages', sms)).data.preview_token;
    for (const args of [
      sms,
      { ...sms, preview_token: 'none' },
      { ...sms, preview_token: stranger },
      { ...sms, to: '+15551234568', preview_token },
      { ...sms, content: { text: 'Hello!' }, preview_token },
    ]) {
      const { isError, data } = await call(client, 'send_message', args);
      assert.deepEqual([isError, data.code, data.details[0].field], [true, 'validation_failed', 'preview_token']);
      assert.match(data.hints[0], /^Call preview_messages with the same fields/);
    }
    assert.deepEqual((await call(client, 'list_messages')).data.messages, []);
  });

  it('gives the faults of the arguments as the API does', async () => {
    const client = await connect();
    const { isError, data } = await call(client, 'preview_messages', { ...sms, to: '5551234567' });
    assert.deepEqual([isError, data.error, data.details[0].field], [true, 'Phone number must be in E.164 format', 'to']);
    assert.match(data.hints[0], /\+15551234567/);
    assert.equal((await call(client, 'get_message', { id: 'none' })).data.error, 'Message not found');
    assert.equal((await call(client, 'get_message')).data.error, 'Message not found');
    assert.equal((await call(client, 'list_messages', { status: 'lost' })).isError, true);
    assert.equal((await call(client, 'no_such_tool')).isError, true);
  });

  it('counts sends of a day, and refuses the fourth of three', async () => {
    const own = await restClient(service.url).signUp();
    const client = await connect({ 'X-API-Key': own.apiKey });
    const send = async (message: object = sms) => {
      const { preview_token } = (await call(client, 'preview_messages', message)).data;
      return call(client, 'send_message', { ...message, preview_token });
    };
    const refused = await call(client, 'send_message', { ...sms, preview_token: 'none' });
    assert.equal(refused.isError, true); // and not counted
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => send()));
    const texts = outcomes.filter(({ isError }) => isError).map(({ data }) => `${data.code}: ${data.error}`);
    const text = 'limit_reached: A workspace can have at most 3 messages sent by MCP on a day';
    assert.deepEqual(texts, [text, text]);
    assert.equal((await call(client, 'list_messages')).data.messages.length, 3);
    await restClient(service.url).send(own); // requests of programs are not limited by it
  });

  it('offers what the scopes of the key allow, and refuses the rest', async () => {
    const rest = restClient(service.url);
    const { body } = await rest.call('POST', '/api/v1/api-keys', {
      body: { name: 'reader', scopes: ['read_messages'] },
      headers: { Authorization: `Bearer ${account.token}` },
    });
    const client = await connect({ 'X-API-Key': body.data.key });
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['get_message', 'list_messages', 'get_message_timeline'],
    );
    const { isError, data } = await call(client, 'preview_messages', sms);
    assert.deepEqual([isError, data.error], [true, 'API key does not have required scope: send_messages']);
  });

  it('shows webhooks and deliveries, and sends a delivery again', async () => {
    const rest = restClient(service.url);
    const own = await rest.signUp();
    const receiver = await startReceiver();
    try {
      const { id } = await rest.hook(own, receiver.url, ['message.delivered']);
      const client = await connect({ 'X-API-Key': own.apiKey });
      assert.equal((await call(client, 'list_webhooks')).data.webhooks[0].id, id);
      await rest.send(own);
      await receiver.until(1);
      const { data } = await call(client, 'list_deliveries', { id });
      const [{ id: delivery_id }] = data.deliveries;
      assert.equal((await call(client, 'resend_delivery', { id, delivery_id })).isError, false);
      await receiver.until(2);
    } finally {
      await receiver.close();
    }
  });

  it('serves the protocol of 2026 too, and opens no stream for subscriptions', async () => {
    const version = '2026-07-28';
    const ask = async (method: string, params: object) => {
      const answer = await fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: {
          'X-API-Key': account.apiKey,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': version,
          'Mcp-Method': method,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: {
            ...params,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': version,
              'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      });
      return (await answer.json()) as Json;
    };
    assert.equal((await ask('tools/list', {})).result.tools.length, allTools.length);
    const refused = await ask('subscriptions/listen', { notifications: { toolsListChanged: true } });
    assert.equal(refused.error.message, 'Subscription limit reached');
  });

  it('refuses a wrong key, a foreign page, a list of messages and other methods', async () => {
    const post = (headers: Record<string, string>, body: unknown) =>
      fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(body),
      });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const key = { 'X-API-Key': account.apiKey };
    const statusOf = async (answer: Promise<Response>) => (await answer).status;
    assert.equal(await statusOf(post({}, list)), 401);
    assert.equal(await statusOf(post({ 'X-API-Key': 'tidings_wrong' }, list)), 401);
    assert.equal(await statusOf(post({ ...key, Origin: 'https://evil.example.com' }, list)), 403);
    assert.equal(await statusOf(post(key, [list, list])), 400);
    const answer = await post(key, list);
    assert.deepEqual([answer.status, answer.headers.get('x-ratelimit-limit') !== null], [200, true]);
    const text = await answer.text();
    for (const name of allTools) assert.ok(text.includes(`"name":"${name}"`), text);
    for (const method of ['GET', 'DELETE']) {
      const refused = await fetch(`${service.url}/mcp`, { method, headers: key });
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'POST, OPTIONS']);
    }
  });
});
