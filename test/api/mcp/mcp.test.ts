/** The MCP server of a running service, used by the client of the official SDK. */
import assert from 'node:assert/strict';
import { type Account, type Json, restClient } from '../../support/client.js';
import { startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';
import { callTool, sms, useMcp } from './mcp-client.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

describe('the MCP server', () => {
  let service: Service;
  let account: Account;
  before(async () => {
    service = await startService({ isHere: true, env: { MCP: 'on', MCP_SENDS_DAY: '3', SANDBOX_DELAY_MS: '1' } });
    account = await restClient(service.url).signUp();
  });
  const connect = useMcp(() => service.url);
  after(() => service.stop());

  it('the MCP server sends a message that was previewed, once for each preview, and shows its status', async () => {
    const client = await connect({ Authorization: `Bearer ${account.apiKey}` });
    const { data: preview } = await callTool(client, 'preview_messages', sms);
    assert.deepEqual([preview.credits, preview.messages[0].text], [toCredits(prices.sms), 'Hello']);
    const { preview_token } = preview;
    const sent = await callTool(client, 'send_message', { ...sms, preview_token });
    assert.equal(sent.isError, false, JSON.stringify(sent.data));
    const { id } = sent.data.message;
    const again = await callTool(client, 'send_message', { ...sms, preview_token });
    assert.equal(again.data.message.id, id);
    await restClient(service.url).messageUntil(account, id, ({ status }) => status === 'delivered');
    assert.equal((await callTool(client, 'get_message', { id })).data.message.status, 'delivered');
    const { data: list } = await callTool(client, 'list_messages', { status: 'delivered', limit: 5 });
    assert.deepEqual(
      list.messages.map((message: Json) => message.id),
      [id],
    );
    const { data: found } = await callTool(client, 'get_message_timeline', { id });
    assert.equal(found.timeline.steps[0].type, 'accepted');
  });

  it('the MCP server sends nothing without a preview of exactly this message', async () => {
    const own = await restClient(service.url).signUp();
    const client = await connect({ 'X-API-Key': own.apiKey });
    const { preview_token } = (await callTool(client, 'preview_messages', sms)).data;
    const stranger = (await callTool(await connect({ 'X-API-Key': account.apiKey }), 'preview_messages', sms)).data.preview_token;
    for (const args of [
      sms,
      { ...sms, preview_token: 'none' },
      { ...sms, preview_token: stranger },
      { ...sms, to: '+15551234568', preview_token },
      { ...sms, content: { text: 'Hello!' }, preview_token },
    ]) {
      const { isError, data } = await callTool(client, 'send_message', args);
      assert.deepEqual([isError, data.code, data.details[0].field], [true, 'validation_failed', 'preview_token']);
      assert.match(data.hints[0], /^Call preview_messages with the same fields/);
    }
    assert.deepEqual((await callTool(client, 'list_messages')).data.messages, []);
  });

  it('a tool names the arguments that it ignored, in its result and in its error', async () => {
    const client = await connect({ 'X-API-Key': (await restClient(service.url).signUp()).apiKey });
    const message = { ...sms, content: { text: 'Hello', subject: 'Hi' }, priority: 1, 'a b,c': 2 };
    const ignored_fields = ['priority', 'a b,c', 'content.subject'];
    const { data: shown } = await callTool(client, 'preview_messages', { ...message, tag: 'vip' });
    assert.deepEqual(shown.ignored_fields, ['tag', ...ignored_fields]);
    const { preview_token } = (await callTool(client, 'preview_messages', message)).data;
    const sent = await callTool(client, 'send_message', { ...message, preview_token });
    assert.deepEqual([sent.isError, sent.data.ignored_fields], [false, ignored_fields]);
    const refused = await callTool(client, 'list_messages', { limit: 0, colour: 'red' });
    assert.deepEqual([refused.isError, refused.data.ignored_fields], [true, ['colour']]);
    assert.equal('ignored_fields' in (await callTool(client, 'list_messages')).data, false);
  });

  it('an argument that is null is like one that is not given', async () => {
    const own = await restClient(service.url).signUp();
    const { id } = await restClient(service.url).send(own);
    const client = await connect({ 'X-API-Key': own.apiKey });
    const args = { reference: null, status: null, limit: null, start_date: null };
    const { isError, data } = await callTool(client, 'list_messages', args);
    assert.equal(isError, false, JSON.stringify(data));
    assert.deepEqual(
      data.messages.map((message: Json) => message.id),
      [id],
    );
  });

  it('the MCP server cancels a scheduled message, and shows the balance', async () => {
    const own = await restClient(service.url).signUp();
    const client = await connect({ 'X-API-Key': own.apiKey });
    const { balance } = (await callTool(client, 'get_balance')).data;
    const scheduled = { ...sms, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
    const { preview_token } = (await callTool(client, 'preview_messages', scheduled)).data;
    const { id } = (await callTool(client, 'send_message', { ...scheduled, preview_token })).data.message;
    assert.equal((await callTool(client, 'get_balance')).data.balance, balance - toCredits(prices.sms));
    const cancelled = await callTool(client, 'cancel_message', { id });
    assert.equal(cancelled.data.message?.status_detail, 'cancelled', JSON.stringify(cancelled.data));
    assert.equal((await callTool(client, 'get_balance')).data.balance, balance);
  });

  it('a tool names the ids that it needs and did not get', async () => {
    const client = await connect({ 'X-API-Key': account.apiKey });
    for (const args of [{}, { id: null }]) {
      const { isError, data } = await callTool(client, 'get_message', args);
      assert.deepEqual([isError, data.code, data.error], [true, 'validation_failed', 'Missing required field: id']);
    }
    const { data } = await callTool(client, 'resend_delivery', {});
    assert.deepEqual(
      data.details.map(({ field }: Json) => field),
      ['id', 'delivery_id'],
    );
  });

  it('the MCP server refuses more sends of a day than the workspace may have', async () => {
    const own = await restClient(service.url).signUp();
    const client = await connect({ 'X-API-Key': own.apiKey });
    const send = async (message: object = sms) => {
      const { preview_token } = (await callTool(client, 'preview_messages', message)).data;
      return callTool(client, 'send_message', { ...message, preview_token });
    };
    const refused = await callTool(client, 'send_message', { ...sms, preview_token: 'none' });
    assert.equal(refused.isError, true); // and not counted
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => send()));
    const texts = outcomes.filter(({ isError }) => isError).map(({ data }) => `${data.code}: ${data.error}`);
    const text = 'limit_reached: A workspace can have at most 3 MCP messages per day';
    assert.deepEqual(texts, [text, text]);
    assert.equal((await callTool(client, 'list_messages')).data.messages.length, 3);
    await restClient(service.url).send(own); // requests of programs are not limited by it
  });

  it('the MCP server shows webhooks and deliveries, and sends a delivery again', async () => {
    const rest = restClient(service.url);
    const own = await rest.signUp();
    const receiver = await startReceiver();
    try {
      const { id } = await rest.hook(own, receiver.url, ['message.delivered']);
      const client = await connect({ 'X-API-Key': own.apiKey });
      assert.equal((await callTool(client, 'list_webhooks')).data.webhooks[0].id, id);
      await rest.send(own);
      await receiver.untilReceived(1);
      const { data } = await callTool(client, 'list_deliveries', { id });
      const [{ id: delivery_id }] = data.deliveries;
      assert.equal((await callTool(client, 'resend_delivery', { id, delivery_id })).isError, false);
      await receiver.untilReceived(2);
    } finally {
      await receiver.close();
    }
  });
});
