import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { type Service, startService } from '../../support/service.js';
import { type MailServer, startSmtp } from '../../support/carriers/smtp.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

describe('a message by SMTP', () => {
  let server: MailServer;
  let service: Service;
  before(async () => {
    server = await startSmtp();
    const env = { PROVIDER_EMAIL: 'smtp', EMAIL_SMTP_URL: server.url, EMAIL_FROM: 'Example <hello@example.test>' };
    service = await startService({ isHere: true, env });
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    await service?.stop();
    await server?.close();
  });
  const email = (to: string, content: object = { text: 'Hello' }) => ({ channel: 'email', to, content });

  it('a message by SMTP stays sent without a report', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const { id } = await client.send(account, email('ada@example.org', { text: 'Hello', subject: 'News', unsubscribe: true }));
    const sent = await client.messageUntil(account, id, ({ status }) => status === 'sent');
    assert.deepEqual([sent.status_detail, sent.provider, sent.credits_used], ['unknown', 'smtp', toCredits(prices.email)]);
    const mail = await PostalMime.parse(server.received[0] ?? '');
    assert.deepEqual([mail.messageId, mail.subject], [sent.provider_message_id, 'News']);
    assert.ok(mail.headers.some(({ key }) => key === 'list-unsubscribe-post'));
    const workflow = service.temporal.client.workflow.getHandle(`msg:${id}`);
    await until(async () => (await workflow.describe()).status.name === 'COMPLETED', 'the workflow closes');
  });

  it('a message by SMTP is refunded for an unknown mailbox, which is then suppressed', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    server.refuse.to.push('550 5.1.1 no such user');
    const { id } = await client.send(account, email('nobody@example.org'));
    const failed = await client.messageUntil(account, id, ({ status }) => status === 'failed');
    assert.deepEqual([failed.error_code, failed.error_message, failed.credits_used], ['30008', 'Unknown destination', 0]);
    const again = await client.send(account, email('Nobody@example.org'));
    const refused = await client.messageUntil(account, again.id, ({ status }) => status === 'failed');
    assert.deepEqual([refused.error_code, refused.error_message], ['suppressed', 'An earlier message to this recipient bounced']);
    const headers = { 'X-API-Key': account.apiKey };
    const { body } = await client.call('GET', `/api/v1/messages/${id}/timeline`, { headers });
    const step = body.data.timeline.steps.find(({ type }: { type: string }) => type === 'failed');
    assert.deepEqual(step.details, { error_code: '30008', advice: 'Correct or remove the recipient.' });
  });

  it('a message by SMTP whose sender is refused after RCPT TO does not suppress the recipient', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    server.refuse.to.push('550 5.1.0 <hello@example.test>: Sender address rejected: User unknown in virtual mailbox table');
    const { id } = await client.send(account, email('known@example.org'));
    const failed = await client.messageUntil(account, id, ({ status }) => status === 'failed');
    assert.equal(failed.error_code, 'sender_refused');
    const again = await client.send(account, email('known@example.org'));
    await client.messageUntil(account, again.id, ({ status }) => status === 'sent');
  });

  it('a message by SMTP is sent although the server greets after five seconds and judges the mail for eleven', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    server.hangUp(); // no connection that was greeted already
    server.onConnect = () => sleep(5_000);
    server.onMail = () => sleep(11_000);
    const before = server.received.length;
    const { id } = await client.send(account, email('slow@example.org'));
    const sent = await client.messageUntil(account, id, ({ status }) => status !== 'queued');
    assert.deepEqual([sent.status, server.received.length - before], ['sent', 1]);
    const attempts = await rows(service.db, 'SELECT outcome FROM send_attempts WHERE message_id = $1', [id]);
    assert.deepEqual(attempts, [{ outcome: 'accepted' }]);
    server.onConnect = server.onMail = () => undefined;
  });

  it('a message by SMTP is sent after a temporary refusal of the mail server', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    server.refuse.to.push('451 4.7.1 greylisted');
    const { id } = await client.send(account, email('grey@example.org'));
    await client.messageUntil(account, id, ({ status }) => status === 'sent');
  });
});
