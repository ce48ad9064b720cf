import assert from 'node:assert/strict';
import { restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { type Service, startService } from '../../support/service.js';
import { refuse, startTwilio, twilioEnv, type TwilioCounterpart } from '../../support/carriers/twilio.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

describe('a message by Twilio', () => {
  let counterpart: TwilioCounterpart;
  let service: Service;
  before(async () => {
    counterpart = await startTwilio();
    service = await startService({ isHere: true, env: { ...twilioEnv(counterpart), UNKNOWN_HANDOFF_TIMEOUT: '4' } });
  });
  beforeEach(() => {
    Object.assign(counterpart, { taken: [], calls: 0, interfere: () => false });
  });
  after(async () => {
    await service?.stop();
    await counterpart?.close();
  });
  const only = () => {
    const [message] = counterpart.taken;
    assert.ok(message !== undefined && counterpart.taken.length === 1);
    return message;
  };
  const inbox = async () => (await rows(service.db, 'SELECT id FROM delivery_reports')).length;

  it('a signed report of Twilio delivers a message, and a forged one is 403', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const { id } = await client.send(account);
    const sent = await client.messageUntil(account, id, ({ status }) => status === 'sent');
    assert.deepEqual([sent.provider, sent.provider_message_id, sent.status_detail], ['twilio', only().sid, 'awaiting_report']);
    const before = await inbox();
    assert.equal(await counterpart.report(only(), 'delivered', { token: 'not-the-token' }), 403);
    assert.equal(await inbox(), before);
    assert.equal(await counterpart.report(only(), 'delivered'), 200);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    await assertBooks(service.db);
  });

  it('a message by Twilio fails with our code after an undelivered report', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const { id } = await client.send(account);
    await client.messageUntil(account, id, ({ status }) => status === 'sent');
    await counterpart.report(only(), 'undelivered', { errorCode: 30010 });
    const failed = await client.messageUntil(account, id, ({ status }) => status === 'failed');
    assert.deepEqual(
      [failed.error_code, failed.error_message, failed.credits_used],
      ['30034', 'Exceeded max price', toCredits(prices.sms)],
    );
  });

  it('a report of Twilio about an unknown message stays in the inbox', async () => {
    const before = await inbox();
    const form = { To: '+15551234567', From: '+15005550100', StatusCallback: `${service.url}/callbacks/twilio` };
    assert.equal(await counterpart.report({ sid: 'SMunknown', status: 'sent', form, error_code: null }, 'delivered'), 200);
    assert.equal(await inbox(), before + 1);
  });

  it('a message by Twilio fails at its expires_at, before the next try, while Twilio is unavailable', async () => {
    counterpart.interfere = (response) => refuse(response, 503, 20503);
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const expiresAt = Date.now() + 4_000; // tries come after 0.5, 1.5, 3.5 and 7.5 seconds
    const { id } = await client.send(account, { expires_at: new Date(expiresAt).toISOString() });
    const failed = await client.messageUntil(account, id, ({ status }) => status === 'failed');
    const lateMs = Date.parse(failed.failed_at) - expiresAt;
    assert.ok(lateMs >= 0 && lateMs < 3_400, `${lateMs} ms late`);
    assert.deepEqual([failed.status_detail, failed.credits_used, counterpart.calls >= 2], ['expired', 0, true]);
  });

  it('a message by Twilio to a recipient who opted out there is refunded, and the recipient is suppressed', async () => {
    counterpart.interfere = (response) => refuse(response, 400, 21610);
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const { id } = await client.send(account, { to: '+15557654321' });
    const failed = await client.messageUntil(account, id, ({ status }) => status === 'failed');
    assert.deepEqual([failed.error_code, failed.status_detail, failed.credits_used], ['suppressed', 'suppressed', 0]);
    counterpart.interfere = () => false;
    const again = await client.send(account, { to: '+15557654321' });
    await client.messageUntil(account, again.id, ({ status }) => status === 'failed');
    assert.equal(counterpart.taken.length, 0);
  });

  it('a message by Twilio is sent and read on WhatsApp', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const { id } = await client.send(account, { channel: 'whatsapp' });
    await client.messageUntil(account, id, ({ status }) => status === 'sent');
    assert.deepEqual([only().form.From, only().form.To], ['whatsapp:+14155238886', 'whatsapp:+15551234567']);
    for (const status of ['delivered', 'read']) assert.equal(await counterpart.report(only(), status), 200);
    await client.messageUntil(account, id, ({ status }) => status === 'read');
  });

  it('a message by Twilio is not sent to a recipient between STOP and START', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const to = '+15557654322';
    const statusOfNext = async () => {
      const { id } = await client.send(account, { to });
      return (await client.messageUntil(account, id, ({ status }) => status !== 'queued')).status;
    };
    const bring = (Body: string) => counterpart.bring(`${service.url}/callbacks/twilio`, { From: to, To: '+15005550100', Body });
    assert.equal(await statusOfNext(), 'sent');
    assert.equal(await bring('Stop'), 204);
    assert.equal(await statusOfNext(), 'failed');
    assert.equal(await bring('START'), 204);
    assert.equal(await statusOfNext(), 'sent');
  });

  it('a message waits while Twilio throttles', async () => {
    counterpart.interfere = (response, _form, call) => call === 1 && refuse(response, 429, 20429, { 'Retry-After': '1' });
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const { id } = await client.send(account);
    await client.messageUntil(account, id, ({ status }) => status === 'sent');
    assert.deepEqual([counterpart.calls, counterpart.taken.length], [2, 1]);
  });

  /** Twilio takes the message, and its answer does not arrive. @returns also the form that Twilio got */
  async function sendWithLostAnswer() {
    const given = new Promise<Record<string, string>>((resolve) => {
      counterpart.interfere = (response, form) => {
        resolve(form);
        response.socket?.destroy();
        return true;
      };
    });
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const { id } = await client.send(account);
    return { client, account, id, form: await given };
  }

  it('a message by Twilio is sent after a lost answer once Twilio reports that it is queued', async () => {
    const { client, account, id, form } = await sendWithLostAnswer();
    const message = { sid: 'SMqueued', status: 'queued', form, error_code: null };
    for (const status of ['accepted', 'queued']) assert.equal(await counterpart.report(message, status), 200);
    const sent = await client.messageUntil(account, id, ({ status }) => status !== 'queued');
    assert.deepEqual([sent.status, sent.provider_message_id, sent.credits_used], ['sent', 'SMqueued', toCredits(prices.sms)]);
    for (const status of ['sending', 'sent', 'delivered', 'queued']) assert.equal(await counterpart.report(message, status), 200);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    assert.equal(counterpart.calls, 1, 'sent once');
    await assertBooks(service.db);
  });

  it('a message by Twilio fails as handoff_unknown after a lost answer, and a later report corrects it', async () => {
    const { client, account, id, form } = await sendWithLostAnswer();
    const failed = await client.messageUntil(account, id, ({ status }) => status === 'failed');
    assert.deepEqual([failed.error_code, failed.credits_used], ['handoff_unknown', 0]);
    assert.equal(await counterpart.report({ sid: 'SMlost', status: 'sent', form, error_code: null }, 'delivered'), 200);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    await until(() => counterpart.calls === 1, 'one call alone');
    await assertBooks(service.db);
  });
});
