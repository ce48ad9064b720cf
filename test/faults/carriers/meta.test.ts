import assert from 'node:assert/strict';
import { restClient } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { type MetaCounterpart, metaAccount, metaEnv, refuse, startMeta, type TakenWhatsapp } from '../../support/carriers/meta.js';
import { type Service, startService } from '../../support/service.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

describe('a message by Meta', () => {
  let counterpart: MetaCounterpart;
  let service: Service;
  before(async () => {
    counterpart = await startMeta();
    service = await startService({ isHere: true, env: metaEnv(counterpart) });
  });
  beforeEach(() => {
    Object.assign(counterpart, { taken: [], interfere: () => false });
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    await service?.stop();
    await counterpart?.close();
  });
  const callback = () => `${service.url}/callbacks/meta`;
  const about = ({ id, message }: TakenWhatsapp, status: string, changes: object = {}) => ({
    statuses: [
      { id, status, timestamp: `${Math.floor(Date.now() / 1000)}`, biz_opaque_callback_data: message.biz_opaque_callback_data, ...changes },
    ],
  });
  const only = () => {
    const [taken] = counterpart.taken;
    assert.ok(taken !== undefined && counterpart.taken.length === 1);
    return taken;
  };
  const send = async (content: object = { text: 'Hello' }) => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const { id } = await client.send(account, { channel: 'whatsapp', content });
    return { client, account, id };
  };

  it('a message by Meta is sent, delivered and read by signed reports in any order, and not by forged ones', async () => {
    const { client, account, id } = await send();
    const sent = await client.messageUntil(account, id, ({ status }) => status === 'sent');
    assert.deepEqual([sent.provider, sent.provider_message_id], ['meta', only().id]);
    assert.equal(await counterpart.tell(callback(), about(only(), 'read'), 'another-secret'), 403);
    assert.deepEqual(await rows(service.db, 'SELECT 1 FROM delivery_reports'), []);
    for (const status of ['read', 'sent', 'delivered']) assert.equal(await counterpart.tell(callback(), about(only(), status)), 200);
    await client.messageUntil(account, id, ({ status }) => status === 'read');
  });

  const template = { name: 'order_update', language: 'en', variables: { 1: 'Ada', 2: '{{ literally }}' } };

  it('a message by Meta is sent as a template with literal values', async () => {
    const { client, account, id } = await send({ text: 'Your order', template });
    const message = await client.messageUntil(account, id, ({ status }) => status === 'sent');
    assert.deepEqual(message.content, { text: 'Your order', template });
    assert.deepEqual(only().message.template?.components, [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ada' },
          { type: 'text', text: '{{ literally }}' },
        ],
      },
    ]);
  });

  it('a bulk send by Meta is sent as a template with the values of each recipient', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const header = { type: 'image', link: 'https://files.example.com/{{ name | you }}.png' };
    const content = { text: 'Your order', template: { ...template, header, variables: { 1: '{{ name | you }}' } } };
    const recipients = [{ to: '+15551234567', name: 'Grace' }, '+15551234568'];
    const headers = { 'X-API-Key': account.apiKey };
    const { status, body } = await client.call('POST', '/api/v1/messages/bulk', {
      body: { channel: 'whatsapp', content, recipients },
      headers,
    });
    assert.equal(status, 201, JSON.stringify(body));
    const { messages } = (await client.call('GET', `/api/v1/messages?batch_id=${body.data.batch.id}`, { headers })).body.data;
    for (const one of messages) await client.messageUntil(account, one.id, (each) => each.status === 'sent');
    const values = counterpart.taken.map(({ message: each }) => JSON.stringify(each.template?.components)).toSorted();
    for (const [at, name] of ['Grace', 'you'].entries()) {
      assert.ok(values[at]?.includes(`"${name}"`) && values[at].includes(`/${name}.png"`), values.join('\n'));
    }
  });

  it('a message by Meta fails when the recipient has not written for 24 hours', async () => {
    const refusal = 'The recipient has not written within 24 hours: only a template may be sent';
    counterpart.interfere = (response) => refuse(response, 400, 131047);
    const refused = await send();
    const failed = await refused.client.messageUntil(refused.account, refused.id, ({ status }) => status === 'failed');
    assert.deepEqual([failed.error_code, failed.error_message, failed.credits_used], ['outside_window', refusal, 0]);
    counterpart.interfere = () => false;
    const { client, account, id } = await send();
    await client.messageUntil(account, id, ({ status }) => status === 'sent');
    await counterpart.tell(callback(), about(only(), 'failed', { errors: [{ code: 131047, title: 'Re-engagement message' }] }));
    const reported = await client.messageUntil(account, id, ({ status }) => status === 'failed');
    assert.deepEqual(
      [reported.error_code, reported.error_message, reported.credits_used],
      ['outside_window', refusal, toCredits(prices.whatsapp)],
    );
  });

  it('a message by Meta is not sent to a recipient who wrote STOP', async () => {
    const { client, account, id } = await send();
    await client.messageUntil(account, id, ({ status }) => status === 'sent');
    const messages = [{ id: 'wamid.stop', from: '15551234567', timestamp: '1767322800', type: 'text', text: { body: 'Stop' } }];
    assert.equal(await counterpart.tell(callback(), { messages }), 200);
    const again = await client.send(account, { channel: 'whatsapp' });
    const refused = await client.messageUntil(account, again.id, ({ status }) => status === 'failed');
    assert.deepEqual([refused.error_code, refused.error_message], ['suppressed', 'The recipient has opted out']);
  });

  it('the callback URL of Meta is confirmed only with the right token', async () => {
    const shake = (word: string, name = 'meta') =>
      fetch(`${service.url}/callbacks/${name}?hub.mode=subscribe&hub.verify_token=${word}&hub.challenge=1158201444`);
    const answer = await shake(metaAccount.verifyToken);
    assert.deepEqual([answer.status, await answer.text()], [200, '1158201444']);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(answer.headers.get('x-ratelimit-remaining') ?? '', /^\d+$/);
    assert.deepEqual([(await shake('wrong')).status, (await shake(metaAccount.verifyToken, 'sandbox')).status], [403, 404]);
  });
});
