/** Who may use the MCP server and how: its tools, keys, scopes, protocols and pages of other origins. */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { busy } from '../../../models/errors.js';
import type { Json } from '../../support/client.js';
import { type Account, whileReplaced } from '../start-app.js';
import { useApi } from '../use-api.js';
import { callTool, listTools, postMcp, sms, useMcp } from './mcp-client.js';

const allTools = [
  'preview_messages',
  'send_message',
  'cancel_message',
  'get_message',
  'list_messages',
  'get_message_timeline',
  'get_balance',
  'list_webhooks',
  'list_deliveries',
  'resend_delivery',
];

describe('access to the MCP server', () => {
  const app = useApi({ env: { MCP: 'on' } });
  const connect = useMcp(() => app.url);
  let account: Account;
  before(async () => {
    account = await app.account();
  });

  it('the MCP server offers each tool with its arguments', async () => {
    const client = await connect({ 'X-API-Key': account.key });
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
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
    assert.deepEqual(
      destructive.map(({ name, annotations }) => [name, annotations?.idempotentHint]),
      [['cancel_message', true]],
    );
  });

  it('the MCP server gives the faults of the arguments as the API does', async () => {
    const client = await connect({ 'X-API-Key': account.key });
    const { isError, data } = await callTool(client, 'preview_messages', { ...sms, to: '5551234567' });
    assert.deepEqual([isError, data.error, data.details[0].field], [true, 'Phone number must be in E.164 format', 'to']);
    assert.match(data.hints[0], /\+15551234567/);
    assert.equal((await callTool(client, 'get_message', { id: 'none' })).data.error, 'Message not found');
    assert.equal((await callTool(client, 'get_message')).data.error, 'Missing required field: id');
    assert.equal((await callTool(client, 'list_messages', { status: 'lost' })).isError, true);
    assert.equal((await callTool(client, 'no_such_tool')).isError, true);
  });

  it('the MCP server offers what the scopes of the key allow, and refuses the rest', async () => {
    const { key } = await app.account({ scopes: ['read_messages'] });
    const client = await connect({ 'X-API-Key': key });
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['get_message', 'list_messages', 'get_message_timeline', 'get_balance'],
    );
    const { isError, data } = await callTool(client, 'preview_messages', sms);
    assert.deepEqual([isError, data.error], [true, 'API key does not have required scope: send_messages']);
  });

  it('the MCP server also serves the protocol of 2026, and opens no stream for subscriptions', async () => {
    const version = '2026-07-28';
    const ask = async (method: string, params: object) => {
      const headers = { 'X-API-Key': account.key, 'MCP-Protocol-Version': version, 'Mcp-Method': method };
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const answer = await postMcp(app.url, headers, { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
      return (await answer.json()) as Json;
    };
    assert.equal((await ask('tools/list', {})).result.tools.length, allTools.length);
    const refused = await ask('subscriptions/listen', { notifications: { toolsListChanged: true } });
    assert.equal(refused.error.message, 'Subscription limit reached');
  });

  it('the MCP server refuses a wrong key, a foreign page, a list of messages and other methods', async () => {
    const post = (headers: Record<string, string>, body: unknown) => postMcp(app.url, headers, body);
    const key = { 'X-API-Key': account.key };
    const statusOf = async (answer: Promise<Response>) => (await answer).status;
    const anonymous = await post({}, listTools);
    // Bearer would make clients of MCP look for OAuth.
    assert.deepEqual([anonymous.status, anonymous.headers.get('www-authenticate')], [401, 'ApiKey']);
    assert.equal(await statusOf(post({ 'X-API-Key': 'tidings_wrong' }, listTools)), 401);
    assert.equal(await statusOf(post({ ...key, Origin: 'https://evil.example.com' }, listTools)), 403);
    assert.equal(await statusOf(post(key, [listTools, listTools])), 400);
    const answer = await post(key, listTools);
    assert.deepEqual([answer.status, answer.headers.get('x-ratelimit-limit') !== null], [200, true]);
    const text = await answer.text();
    for (const name of allTools) assert.ok(text.includes(`"name":"${name}"`), text);
    for (const method of ['GET', 'DELETE']) {
      const refused = await fetch(`${app.url}/mcp`, { method, headers: key });
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'POST, OPTIONS']);
    }
  });
});

describe('the MCP server and pages of browsers', () => {
  const origin = 'https://assistant.example.test';
  const app = useApi({ env: { MCP: 'on', CORS_ORIGINS: origin } });

  it('a page of CORS_ORIGINS may send all headers that MCP clients send', async () => {
    const { key } = await app.account();
    const sent = new Set<string>();
    const asPage: typeof fetch = (url, init = {}) => {
      for (const name of new Headers(init.headers).keys()) sent.add(name);
      return fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), origin } });
    };
    const client = new Client({ name: 'test', version: '1.0.0' });
    const requestInit = { headers: { 'X-API-Key': key } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit, fetch: asPage }));
    await client.listTools();
    await client.close();
    const names = [...sent, 'mcp-method', 'mcp-name'].filter((name) => name !== 'accept');
    const preflight = { Origin: origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': names.join(',') };
    const { headers } = await fetch(`${app.url}/mcp`, { method: 'OPTIONS', headers: preflight });
    const allowed = (headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ');
    assert.ok(names.includes('mcp-protocol-version'));
    assert.deepEqual(
      names.filter((name) => !allowed.includes(name)),
      [],
    );
  });
});

describe('the daily limit of the MCP server', () => {
  const app = useApi({ env: { MCP: 'on', MCP_SENDS_DAY: '1' } });
  const connect = useMcp(() => app.url);

  it('the daily limit of MCP does not count a send that a busy service refuses', async () => {
    const client = await connect({ 'X-API-Key': (await app.account()).key });
    const { preview_token } = (await callTool(client, 'preview_messages', sms)).data;
    const send = () => callTool(client, 'send_message', { ...sms, preview_token });
    const refusing = () => {
      throw busy();
    };
    const refused = async () => [(await send()).data.code, (await send()).data.code];
    assert.deepEqual(await whileReplaced(app.deps.acceptGate, 'enter', refusing, refused), ['unavailable', 'unavailable']);
    assert.equal((await send()).isError, false);
  });

  it('the repetition of a send by MCP is answered also when the daily limit is reached', async () => {
    const client = await connect({ 'X-API-Key': (await app.account()).key });
    const tokenOf = async () => (await callTool(client, 'preview_messages', sms)).data.preview_token;
    const send = async (preview_token: string) => callTool(client, 'send_message', { ...sms, preview_token });
    const [token, another] = [await tokenOf(), await tokenOf()];
    const first = await send(token);
    assert.equal((await send(another)).data.code, 'limit_reached');
    assert.deepEqual(await send(token), first);
  });
});
