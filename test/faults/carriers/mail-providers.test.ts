import assert from 'node:assert/strict';
import { restClient } from '../../support/client.js';
import { drop } from '../../support/carriers/counterpart.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { type PostmarkCounterpart, postmarkEnv, startPostmark } from '../../support/carriers/postmark.js';
import { type SendgridCounterpart, sendgridEnv, signEvents, startSendgrid } from '../../support/carriers/sendgrid.js';
import { type SesCounterpart, sesEnv, sesEvent, startSes } from '../../support/carriers/ses.js';
import { type Service, startService } from '../../support/service.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

let service: Service;
const inbox = async () => (await rows(service.db, 'SELECT id FROM delivery_reports')).length;

/** A mail that was handed over, by a new account. */
async function sent(to: string) {
  const client = restClient(service.url, service.db);
  const account = await client.signUp();
  const { id } = await client.send(account, { channel: 'email', to, content: { text: 'Hello', subject: 'News' } });
  const message = await client.messageUntil(account, id, ({ status }) => status === 'sent');
  return { client, account, id, message };
}

/** What a further mail to the same recipient fails with. */
async function again({ client, account }: Awaited<ReturnType<typeof sent>>, to: string): Promise<string> {
  const { id } = await client.send(account, { channel: 'email', to, content: { text: 'Hello' } });
  return (await client.messageUntil(account, id, ({ status }) => status === 'failed')).error_message;
}

describe('a message by Postmark', () => {
  let counterpart: PostmarkCounterpart;
  before(async () => {
    counterpart = await startPostmark();
    service = await startService({ isHere: true, env: postmarkEnv(counterpart) });
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    await service?.stop();
    await counterpart?.close();
  });
  const callback = () => `${service.url}/callbacks/postmark`;

  it('a report of Postmark delivers a message, and a wrong password changes nothing', async () => {
    const { client, account, id, message } = await sent('ada@example.org');
    const event = { RecordType: 'Delivery', MessageID: message.provider_message_id, DeliveredAt: new Date().toISOString() };
    assert.equal(await counterpart.tell(callback(), event, 'another-password'), 403);
    assert.equal(await inbox(), 0);
    assert.equal(await counterpart.tell(callback(), event), 200);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
  });

  it('a message by Postmark fails when it bounces, and its recipient is suppressed', async () => {
    const mail = await sent('gone@example.org');
    const event = { RecordType: 'Bounce', Type: 'HardBounce', MessageID: mail.message.provider_message_id, Email: 'gone@example.org' };
    await counterpart.tell(callback(), { ...event, BouncedAt: new Date().toISOString() });
    const failed = await mail.client.messageUntil(mail.account, mail.id, ({ status }) => status === 'failed');
    assert.deepEqual([failed.error_code, failed.credits_used], ['30008', toCredits(prices.email)]);
    assert.equal(await again(mail, 'gone@example.org'), 'An earlier message to this recipient bounced');
  });

  it('a message by Postmark is found by its id after a lost answer, and sent once', async () => {
    const calls = counterpart.calls;
    const taken = counterpart.taken.length;
    const lost = { From: 'x', To: 'lost@example.org', TextBody: 'x' };
    counterpart.interfere = (response) => {
      counterpart.interfere = () => false;
      counterpart.taken.push({ id: 'PM-lost', mail: lost, events: [] });
      return drop(response);
    };
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const { id } = await client.send(account, { channel: 'email', to: 'lost@example.org', content: { text: 'Hello' } });
    Object.assign(lost, { Metadata: { message_id: id } });
    const message = await client.messageUntil(account, id, ({ status }) => status === 'sent');
    assert.deepEqual([message.provider_message_id, counterpart.calls - calls, counterpart.taken.length - taken], ['PM-lost', 1, 1]);
  });
});

describe('a message by SendGrid', () => {
  let counterpart: SendgridCounterpart;
  before(async () => {
    counterpart = await startSendgrid();
    service = await startService({ isHere: true, env: sendgridEnv(counterpart) });
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    await service?.stop();
    await counterpart?.close();
  });
  const callback = () => `${service.url}/callbacks/sendgrid`;

  it('a signed report of SendGrid delivers a message, and a forged one is 403', async () => {
    const { client, account, id, message } = await sent('ada@example.org');
    const about = { email: 'ada@example.org', timestamp: Math.floor(Date.now() / 1000), message_id: id };
    const events = ['delivered', 'processed', 'delivered', 'open'].map((event) => ({
      ...about,
      event,
      sg_message_id: `${message.provider_message_id}.recvd-1.0`,
    }));
    assert.equal(await counterpart.tell(callback(), events, signEvents('[]')), 403);
    assert.equal(await inbox(), 0);
    assert.equal(await counterpart.tell(callback(), events), 200);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    assert.equal(await inbox(), 2);
  });

  it('a message by SendGrid suppresses the recipient after a spam complaint', async () => {
    const mail = await sent('angry@example.org');
    const event = { event: 'spamreport', email: 'angry@example.org', sg_message_id: mail.message.provider_message_id };
    assert.equal(await counterpart.tell(callback(), [event]), 200);
    assert.equal(await again(mail, 'angry@example.org'), 'The recipient complained about an earlier message');
  });
});

describe('a message by Amazon SES', () => {
  let counterpart: SesCounterpart;
  before(async () => {
    counterpart = await startSes();
    service = await startService({ isHere: true, env: sesEnv(counterpart) });
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    await service?.stop();
    await counterpart?.close();
  });
  const callback = () => `${service.url}/callbacks/ses`;

  it('the topic of Amazon SES is confirmed by a genuine request only', async () => {
    const { token } = counterpart.topic;
    const SubscribeURL = `${counterpart.url}/?Action=ConfirmSubscription&Token=${token}`;
    const question = { Type: 'SubscriptionConfirmation', Message: 'You have chosen …', Token: token, SubscribeURL };
    assert.equal(await counterpart.tell(callback(), question, { Token: 'another' }), 403);
    assert.equal(counterpart.isConfirmed, false);
    assert.equal(await counterpart.tell(callback(), question), 200);
    assert.equal(counterpart.isConfirmed, true);
  });

  it('a signed report of Amazon SES delivers a message, and a forged one is 403', async () => {
    const { client, account, id, message } = await sent('ada@example.org');
    const event = sesEvent('Delivery', message.provider_message_id);
    assert.equal(
      await counterpart.tell(callback(), event, { Message: sesEvent('Bounce', message.provider_message_id).Message ?? '' }),
      403,
    );
    assert.equal(await inbox(), 0);
    assert.equal(await counterpart.tell(callback(), event), 200);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    assert.equal(counterpart.certificates, 1);
  });

  it('a message by Amazon SES fails when it bounces, and its recipient is suppressed', async () => {
    const mail = await sent('gone@example.org');
    const bounce = { bounceType: 'Permanent', bounceSubType: 'NoEmail', timestamp: new Date().toISOString() };
    assert.equal(await counterpart.tell(callback(), sesEvent('Bounce', mail.message.provider_message_id, { bounce })), 200);
    const failed = await mail.client.messageUntil(mail.account, mail.id, ({ status }) => status === 'failed');
    assert.equal(failed.error_code, '30008');
    assert.equal(await again(mail, 'gone@example.org'), 'An earlier message to this recipient bounced');
  });
});
