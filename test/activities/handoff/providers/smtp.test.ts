import assert from 'node:assert/strict';
import PostalMime from 'postal-mime';
import { smtpAdapter } from '../../../../activities/handoff/providers/smtp.js';
import { outgoingMail } from '../../../support/carriers/outgoing.js';
import { type MailServer, startSmtp } from '../../../support/carriers/smtp.js';

const from = 'Example & Söhne <hello@example.test>';
/** How nodemailer calls a refusal at each step. */
const codeOf = { from: 'EENVELOPE', to: 'EENVELOPE', mail: 'EMESSAGE' };
const publicUrl = 'http://localhost:3000';
const inTime = () => AbortSignal.timeout(10_000);

describe('the SMTP provider', () => {
  let server: MailServer;
  const serving = async (...options: Parameters<typeof startSmtp>) => {
    server = await startSmtp(...options);
    return smtpAdapter({ name: 'smtp', kind: 'smtp', url: server.url, from }, publicUrl);
  };
  afterEach(() => server.close());
  /** The server answers no mail. The signal is aborted when it has this many. */
  const signalAtMail = (count: number) => {
    const controller = new AbortController();
    let mails = 0;
    server.onMail = () => {
      if (++mails === count) controller.abort();
      return new Promise(() => undefined);
    };
    return controller.signal;
  };

  it('the SMTP provider sends text, html and headers with a Message-ID', async () => {
    const adapter = await serving();
    const content = { text: 'Grüße,\n.\nAda', html: '<p>Grüße</p>', subject: 'Für Ada: 😀' };
    const message = outgoingMail({ content, headers: { 'List-Unsubscribe': '<https://tidings.example/unsubscribe/token>' } });
    const messageId = `<${message.id}@example.test>`;
    assert.deepEqual(await adapter.send(message, inTime()), {
      outcome: 'accepted',
      provider_message_id: messageId,
      isUnreported: true,
    });
    const mail = await PostalMime.parse(server.received[0] ?? '');
    assert.deepEqual([mail.from?.address, mail.from?.name], ['hello@example.test', 'Example & Söhne']);
    assert.deepEqual([mail.to?.[0]?.address, mail.subject, mail.messageId], [message.to, content.subject, messageId]);
    assert.deepEqual([mail.text?.trimEnd(), mail.html?.trimEnd()], [content.text, content.html]);
    assert.equal(mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value, message.headers?.['List-Unsubscribe']);
  });

  it('the SMTP provider adds a subject to a mail without one', async () => {
    await (await serving()).send(outgoingMail({ content: { text: 'Hello' } }), inTime());
    assert.equal((await PostalMime.parse(server.received[0] ?? '')).subject, '(no subject)');
  });

  it('the SMTP provider sends a subject literally, and no line of more than 998 octets', async () => {
    const adapter = await serving();
    const subjects = ['x'.repeat(998), 'a =?UTF-8?Q?hi?= b', 'a =?UTF-8?Q?hi?= für Söhne', `${'😀'.repeat(400)} =?`, 'a = ? b'];
    for (const subject of subjects) await adapter.send(outgoingMail({ content: { text: 'Hello', subject } }), inTime());
    const mails = await Promise.all(server.received.map((mail) => PostalMime.parse(mail)));
    assert.deepEqual(
      mails.map(({ subject }) => subject),
      subjects,
    );
    for (const mail of server.received) assert.ok(mail.split('\r\n').every((line) => Buffer.byteLength(line) <= 998));
  });

  it('the SMTP provider maps refusals to our codes, and keeps those of the server', async () => {
    const adapter = await serving();
    const cases: [step: 'from' | 'to' | 'mail', reply: string, ours: string, isPermanent: boolean, theirs: string][] = [
      ['to', '550 5.1.1 no such user', '30008', true, '5.1.1'],
      ['to', '552 5.2.2 mailbox full', '30006', false, '5.2.2'],
      ['to', '550 5.2.1 mailbox disabled', '30006', true, '5.2.1'],
      ['to', '550 5.7.606 banned sending IP', '30007', false, '5.7.606'],
      ['mail', '554 5.7.1 looks like spam', '30007', false, '5.7.1'],
      ['mail', '550 5.7.26 neither SPF nor DKIM', 'sender_refused', false, '5.7.26'],
      ['from', '550 5.7.1 not yours', 'sender_refused', false, '5.7.1'],
      ['from', '552 5.3.4 too large', 'invalid_content', true, '5.3.4'],
      ['from', '550 5.4.5 Daily user sending limit exceeded', 'limit_exceeded', false, '5.4.5'],
      ['mail', '550 5.4.5 Daily user sending limit exceeded', 'limit_exceeded', false, '5.4.5'],
      ['mail', '550 This message looks like spam', '30007', false, '550'],
      ['mail', '550 Message rejected', 'undeliverable', false, '550'],
      ['to', '550 No such user here', '30008', true, '550'],
      ['to', '550 relay not permitted', 'sender_refused', false, '550'],
      ['to', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", 'sender_refused', false, '553'],
      ['to', '554 5.7.1 <ada@example.org>: Relay access denied', 'sender_refused', false, '5.7.1'],
      ['to', '550 5.1.90 Your message cannot be sent', 'limit_exceeded', false, '5.1.90'],
    ];
    for (const [step, reply, ours, isPermanent, theirs] of cases) {
      server.refuse[step].push(reply);
      const outcome = await adapter.send(outgoingMail(), inTime());
      assert.ok(outcome.outcome === 'rejected', reply);
      assert.deepEqual([outcome.error_code, outcome.is_permanent, outcome.provider_error_code], [ours, isPermanent, theirs], reply);
    }
    assert.deepEqual(server.received, []);
  });

  it('the SMTP provider retries after a temporary refusal, a refused login or a lost connection', async () => {
    const adapter = await serving();
    for (const step of ['from', 'to', 'mail'] as const) {
      server.refuse[step].push('451 4.3.0 later');
      assert.deepEqual(await adapter.send(outgoingMail(), inTime()), { outcome: 'retryable', detail: `${codeOf[step]} 451` }, step);
    }
    server.refuse.from.push('530 5.7.0 authentication required');
    assert.deepEqual(await adapter.send(outgoingMail(), inTime()), { outcome: 'retryable', detail: 'EENVELOPE 530' });
    await server.close();
    assert.deepEqual(await adapter.send(outgoingMail(), inTime()), { outcome: 'retryable', detail: 'ESOCKET ECONNREFUSED' });
    await serving({ authOptional: false });
    const wrong = smtpAdapter({ name: 'smtp', kind: 'smtp', url: server.url.replace('user', 'nobody'), from }, publicUrl);
    assert.deepEqual(await wrong.send(outgoingMail(), inTime()), { outcome: 'retryable', detail: 'EAUTH 535' });
    assert.equal(
      (await smtpAdapter({ name: 'smtp', kind: 'smtp', url: server.url, from }, publicUrl).send(outgoingMail(), inTime())).outcome,
      'accepted',
    );
  });

  it('the SMTP provider says of a temporary refusal of one recipient that the account is not at fault', async () => {
    const adapter = await serving();
    for (const [reply, isAboutRecipient] of [
      ['450 4.2.1 mailbox busy', true],
      ['450 4.1.2 domain not found', true],
      ['450 mailbox unavailable', true],
      ['450 4.1.8 sender domain not found', false],
      ['450 4.7.1 too many mails', false],
      ['452 4.3.1 no space', false],
    ] as const) {
      server.refuse.to.push(reply);
      const outcome = await adapter.send(outgoingMail(), inTime());
      assert.deepEqual([outcome.outcome, 'concernsRecipient' in outcome], ['retryable', isAboutRecipient], reply);
    }
  });

  it('the SMTP provider returns unknown for a lost answer, and does not send again', async () => {
    const adapter = await serving();
    server.onMail = () => server.hangUp();
    assert.equal((await adapter.send(outgoingMail(), inTime())).outcome, 'unknown');
    assert.deepEqual(await adapter.send(outgoingMail(), signalAtMail(1)), { outcome: 'unknown', detail: 'EABORT' });
    assert.deepEqual([adapter.idempotent, adapter.reconcile], [false, undefined]);
  });

  it('the SMTP provider reuses a few connections, and a mail that got none was certainly not sent', async () => {
    const adapter = await serving();
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => adapter.send(outgoingMail(), inTime())));
    assert.ok(outcomes.every(({ outcome }) => outcome === 'accepted'));
    assert.deepEqual([server.received.length, server.connections <= 10], [40, true]);
    const signal = signalAtMail(10);
    const late = await Promise.all(Array.from({ length: 12 }, () => adapter.send(outgoingMail(), signal)));
    const count = (wanted: string) => late.filter(({ outcome }) => outcome === wanted).length;
    assert.deepEqual([count('unknown'), count('retryable')], [10, 2]);
  });
});
