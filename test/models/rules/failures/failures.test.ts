import assert from 'node:assert/strict';
import { hard, lookUp, soft } from '../../../../models/rules/failures/provider-failure.js';
import { sendgridFailureOf } from '../../../../models/rules/failures/sendgrid.js';
import { isAboutRecipient, smtpCodeOf, smtpFailureOf } from '../../../../models/rules/failures/smtp.js';

const unknown = { code: 'undeliverable', isPermanent: false };

describe("a provider's failure", () => {
  const table = { '1': hard('30008'), '2': soft('30006') };
  it('a failure of a provider has our code, and is permanent or not', () => {
    assert.deepEqual(
      [lookUp(table, '1'), lookUp(table, '2')],
      [
        { code: '30008', isPermanent: true },
        { code: '30006', isPermanent: false },
      ],
    );
  });
  it('a failure without a code, or with one that is not in the table, is undeliverable for now', () => {
    for (const code of [null, '', '3', 'constructor', '__proto__']) assert.deepEqual(lookUp(table, code), unknown, String(code));
  });
});

describe('a temporary refusal of a mail server', () => {
  it('a temporary refusal of the sender after RCPT TO is not about the recipient', () => {
    assert.equal(isAboutRecipient('RCPT TO', '450 <hello@example.test>: Sender address rejected: Domain not found'), false);
    assert.equal(isAboutRecipient('RCPT TO', '450 mailbox unavailable'), true);
  });
});

describe('the code in a reply of a mail server', () => {
  for (const [reply, code] of [
    ['550 5.1.1 no such user', '5.1.1'],
    ['550-5.1.10 no mail', '5.1.10'],
    ['550 5.9.9 an unknown enhanced code', '5.9.9'],
    ['550 5.0.0 no such user', '550'],
    ['550 5.1.1000 no code', '550'],
    ['452 mailbox full', '452'],
    ['554', ''],
    ['a 550 5.1.1', ''],
    ['5501 5.1.1', ''],
    ['', ''],
  ] as const)
    it(`the code of a mail server is ${JSON.stringify(code)} in ${JSON.stringify(reply)}`, () => assert.equal(smtpCodeOf(reply), code));
});

describe('the refusal of a mail server', () => {
  const mailbox = { code: '30008', isPermanent: true };
  const tooMany = { code: 'limit_exceeded', isPermanent: false, concernsRecipient: true };
  const ofSender = { code: 'sender_refused', isPermanent: false };
  const cases: [command: string, reply: string, failure: { code: string; isPermanent: boolean }][] = [
    ['RCPT TO', '550 No such user here', mailbox],
    ['RCPT TO', '550 5.0.0 User unknown', mailbox],
    ['RCPT TO', '551 User not local', mailbox],
    ['RCPT TO', '553 sorry, this recipient is not in my validrcptto list (#5.7.1)', mailbox],
    ['RCPT TO', '550 5.1.1 User unknown in relay recipient table', mailbox],
    ['RCPT TO', '550 5.4.1 Recipient address rejected: Access denied. [DB5EUR01.prod.outlook.com]', mailbox],
    ['DATA', '550 5.1.1 no such user', mailbox],
    ['RCPT TO', '550 5.4.1 no answer from host', unknown],
    ['RCPT TO', '550 5.0.350 Remote server returned an error', unknown],
    ['RCPT TO', '550 5.9.9 an unknown enhanced code', unknown],
    ['DATA', '550 Administrative prohibition', unknown],
    ['DATA', '553 rejected', unknown],
    ['DATA', '552 5.9.9 Over quota', { code: '30006', isPermanent: false }],
    ['RCPT TO', '550-JunkMail rejected - host is in an RBL\n550 see https://rbl.example', { code: '30007', isPermanent: false }],
    ['RCPT TO', '550 Sender verify failed', { code: '30007', isPermanent: false }],
    ['DATA', '554 Blocked', { code: '30007', isPermanent: false }],
    ['RCPT TO', '550 5.4.1 Relay Access Denied', ofSender],
    ['RCPT TO', '550 Relaying to <ada@example.org> prohibited by administrator', ofSender],
    ['RCPT TO', '551 we do not relay', ofSender],
    ['RCPT TO', '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain', ofSender],
    ['RCPT TO', '550 5.1.0 <hello@example.test>: Sender address rejected: User unknown in virtual mailbox table', ofSender],
    ['RCPT TO', '550 5.1.0 Address rejected', unknown],
    ['RCPT TO', '550 5.1.0 <ada@example.org>: Recipient address rejected: User unknown', mailbox],
    ['RCPT TO', '553 5.7.1 <hello@example.test>: Sender address rejected: not owned by user x', ofSender],
    ['RCPT TO', '550 Sender address is not allowed.', ofSender],
    ['DATA', '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied; Cannot submit message', ofSender],
    ['DATA', '550 5.7.60 SMTP; Client does not have permissions to send as this sender', ofSender],
    [
      'DATA',
      '554 Message rejected: Email address is not verified. The following identities failed the check: hello@example.test',
      ofSender,
    ],
    ['DATA', '550 The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved.', ofSender],
    ['RCPT TO', '550 5.1.1 <SendAsDenied@example.org>: User unknown', mailbox],
    ['RCPT TO', '550 5.1.1 Recipient address rejected: undeliverable address: host mx said: 550 Sender address rejected', mailbox],
    ['RCPT TO', '550 5.7.1 You are not authorized to send to this recipient', { code: '30007', isPermanent: false }],
    ['RCPT TO', '550 5.2.1 The e-mail account that you tried to reach is disabled', { code: '30006', isPermanent: true }],
    ['RCPT TO', '550-5.2.1 The user you are trying to contact is receiving mail at a rate that\n550 5.2.1 prevents it', tooMany],
    ['RCPT TO', '550 5.2.1 The user you are trying to contact is receiving mail too quickly', tooMany],
    ['MAIL FROM', '550 5.1.1 no such user', ofSender],
    ['DATA', '550-5.4.5 Daily user sending limit exceeded.\n550 5.4.5 See support.', { code: 'limit_exceeded', isPermanent: false }],
    ['RCPT TO', '550 5.2.121 Recipient limit', tooMany],
  ];
  for (const [command, reply, expected] of cases)
    it(`the reply ${JSON.stringify(reply)} after ${command} means ${expected.code}`, () => {
      const { providerCode: _, ...failure } = smtpFailureOf(command, reply);
      assert.deepEqual(failure, expected);
    });

  it('a bounce from SendGrid that limits a mailbox or refuses the sender does not suppress the recipient', () => {
    const bounce = (status: string, reason: string) => sendgridFailureOf({ event: 'bounce', type: 'bounce', status, reason });
    const limit = bounce('5.2.1', '550-5.2.1 The user you are trying to contact is receiving mail at a rate that');
    assert.deepEqual(limit, { ...tooMany, providerCode: '5.2.1' });
    assert.deepEqual(bounce('5.1.0', '550 5.1.0 Sender address rejected'), { ...ofSender, providerCode: '5.1.0' });
  });

  it('a bounce from SendGrid with 5.4.1 names the mailbox only by its text', () => {
    const bounce = (reason: string) => sendgridFailureOf({ event: 'bounce', type: 'bounce', status: '5.4.1', reason });
    assert.deepEqual(bounce('550 5.4.1 Recipient address rejected: Access denied'), { ...mailbox, providerCode: '5.4.1' });
    assert.deepEqual(bounce('550 5.4.1 no answer from host'), { ...unknown, providerCode: '5.4.1' });
  });
});
