import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { v7 as uuidv7 } from 'uuid';
import { emailActivities } from '../../activities/emails.js';
import type { Config } from '../../models/settings/config.js';
import { createLogger } from '../../models/process/logger.js';
import { signUp } from '../../models/operations/accounts/sign-up.js';
import { verifyEmail } from '../../models/operations/accounts/verify-email.js';
import { testConfig } from '../support/config.js';
import { rows } from '../support/database.js';
import { useDatabase } from '../support/for-each.js';
import { startSmtp } from '../support/carriers/smtp.js';
import { byTest } from '../support/by-test.js';

const publicUrl = 'https://api.example.test';

describe('sendMail', () => {
  const test = useDatabase({ checksBooks: true });

  const activitiesWith = (config: Readonly<Config>) => emailActivities({ db: test.db, config, logger: createLogger('test', 'silent') });
  const buildMail = (config: Readonly<Config>, company_name = 'Müller & <Söhne>') => {
    const email = `${uuidv7()}@example.test`;
    return signUp({ db: test.db, config }, { email, password: 'long enough', company_name, phone: null, country: null }, byTest);
  };
  const isSent = async (id: string) =>
    (await rows<{ sent: boolean }>(test.db, 'SELECT sent_at IS NOT NULL AS sent FROM mails WHERE id = $1', [id]))[0]?.sent;
  const tokenIn = (text = '') => /token=([\w-]{43})/.exec(text)?.[1] ?? 'none';

  it('a mail file is for its owner only, and its link verifies the address', async () => {
    const config = testConfig({ PUBLIC_URL: publicUrl, TRUSTED_PROXIES: 'none', MAIL_FROM: 'Tidings <hello@example.test>' });
    const { mailId, workspace } = await buildMail(config);
    await activitiesWith(config).sendMail(mailId);
    const file = join(config.dataDir, 'mail', `${mailId}.eml`);
    assert.equal((await stat(file)).mode & 0o077, 0);
    const raw = await readFile(file, 'utf8');
    const mail = await PostalMime.parse(raw);
    assert.deepEqual(
      [mail.from?.address, mail.to?.map(({ address }) => address), mail.messageId],
      ['hello@example.test', [workspace.email], `<${mailId}@example.test>`],
    );
    assert.equal(mail.subject, 'Verify your e-mail address');
    assert.match(mail.text ?? '', /^Hello Müller & <Söhne>,\n/);
    assert.match(mail.html ?? '', /Hello Müller &amp; &lt;Söhne&gt;,/);
    assert.ok(mail.text?.includes(`${publicUrl}/verify-email#token=`));
    assert.equal(tokenIn(mail.html), tokenIn(mail.text));
    // The link can be copied from the file as it stands.
    assert.ok(raw.includes(`\n${publicUrl}/verify-email#token=${tokenIn(mail.text)}\n`));
    assert.equal((await verifyEmail(test.db, tokenIn(mail.text), byTest)).id, workspace.id);
    assert.equal(await isSent(mailId), true);
  });

  it('a mail from before a change of SECRET_KEY has a link that works, once SECRET_KEYS_OLD has the former key', async () => {
    const [former, present] = ['f', 't'].map((letter) => letter.repeat(32)) as [string, string];
    const { mailId, workspace } = await buildMail(testConfig({ SECRET_KEY: former }));
    await assert.rejects(activitiesWith(testConfig({ SECRET_KEY: present })).sendMail(mailId), /SECRET_KEY/);
    const config = testConfig({ SECRET_KEY: present, SECRET_KEYS_OLD: former });
    await activitiesWith(config).sendMail(mailId);
    const { text } = await PostalMime.parse(await readFile(join(config.dataDir, 'mail', `${mailId}.eml`), 'utf8'));
    assert.equal((await verifyEmail(test.db, tokenIn(text), byTest)).id, workspace.id);
  });

  it('a mail whose SECRET_KEY is lost is given up when its link has expired', async () => {
    const { mailId, workspace } = await buildMail(testConfig({ SECRET_KEY: 'f'.repeat(32) }));
    await rows(test.db, 'UPDATE mail_tokens SET expires_at = now() WHERE workspace_id = $1', [workspace.id]);
    const config = testConfig();
    await activitiesWith(config).sendMail(mailId);
    await assert.rejects(readdir(join(config.dataDir, 'mail')), { code: 'ENOENT' });
    assert.deepEqual(await rows(test.db, 'SELECT sent_at, refused_code FROM mails WHERE id = $1', [mailId]), [
      { sent_at: null, refused_code: 0 },
    ]);
  });

  it('a line break in a name adds no header to a mail, and HTML in it is escaped', async () => {
    const config = testConfig();
    const { mailId } = await buildMail(config, 'Evil\r\nBcc: victim@example.test\r\n\r\n<script>');
    await activitiesWith(config).sendMail(mailId);
    const raw = await readFile(join(config.dataDir, 'mail', `${mailId}.eml`), 'utf8');
    assert.doesNotMatch(raw.slice(0, raw.indexOf('\n\n')), /^Bcc:/im);
    assert.doesNotMatch((await PostalMime.parse(raw)).html ?? '', /<script>/);
  });

  it('a sent or deleted mail is not sent again', async () => {
    const config = testConfig();
    const { mailId } = await buildMail(config);
    await rows(test.db, 'UPDATE mails SET sent_at = now() WHERE id = $1', [mailId]);
    for (const id of [mailId, uuidv7()]) await activitiesWith(config).sendMail(id);
    await assert.rejects(readdir(join(config.dataDir, 'mail')), { code: 'ENOENT' });
  });

  it('a mail is sent through a mail server once for repeated calls', async () => {
    const smtp = await startSmtp();
    const config = testConfig({ SMTP_URL: smtp.url, PUBLIC_URL: publicUrl, TRUSTED_PROXIES: 'none' });
    const { mailId, workspace } = await buildMail(config);
    for (const _ of [1, 2]) await activitiesWith(config).sendMail(mailId);
    await smtp.close();
    assert.equal(smtp.received.length, 1);
    const mail = await PostalMime.parse(smtp.received[0] ?? '');
    assert.deepEqual([mail.to?.[0]?.address, mail.messageId], [workspace.email, `<${mailId}@tidings.invalid>`]);
    assert.equal(mail.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated'); // so that nobody's vacation replies (RFC 3834)
    assert.match(mail.text ?? '', /^Hello Müller & <Söhne>,\n/);
  });

  it('a mail of ASCII is sent without encoding', async () => {
    const smtp = await startSmtp();
    const config = testConfig({ SMTP_URL: smtp.url, PUBLIC_URL: publicUrl, TRUSTED_PROXIES: 'none' });
    const { mailId } = await buildMail(config, 'Miller\r\n.\r\nSons Inc.');
    await activitiesWith(config).sendMail(mailId);
    await smtp.close();
    const [raw = ''] = smtp.received;
    const mail = await PostalMime.parse(raw);
    assert.match(mail.text ?? '', /^Hello Miller \. Sons Inc\.,\n/);
    assert.ok(raw.includes(`\r\n${publicUrl}/verify-email#token=${tokenIn(mail.text)}\r\n`));
  });

  /** What Temporal stores of the failure: `sendMail` has no other text. */
  const notSent = (fault: string) => ({ type: 'MailNotSent', message: `The mail server did not take the mail: ${fault}` });

  it('a mail that is refused temporarily is sent at the next try', async () => {
    const smtp = await startSmtp();
    smtp.refuse.to.push('451 4.3.0 later');
    const config = testConfig({ SMTP_URL: smtp.url });
    const { mailId } = await buildMail(config);
    await assert.rejects(activitiesWith(config).sendMail(mailId), notSent('EENVELOPE 451 (RCPT TO)'));
    assert.equal(await isSent(mailId), false);
    await activitiesWith(config).sendMail(mailId);
    await smtp.close();
    assert.equal(await isSent(mailId), true);
    assert.equal(smtp.received.length, 1);
  });

  /** Sends a mail once, to a server that refuses its recipient with this reply. */
  const sendToRefused = async (reply: string) => {
    const smtp = await startSmtp();
    smtp.refuse.to.push(reply);
    const config = testConfig({ SMTP_URL: smtp.url });
    const { mailId } = await buildMail(config);
    await activitiesWith(config).sendMail(mailId);
    await smtp.close();
    return { smtp, mailId };
  };

  it('a mail that is refused permanently is given up with the code of the refusal', async () => {
    const { smtp, mailId } = await sendToRefused('550 5.1.1 no such user');
    assert.deepEqual(await rows(test.db, 'SELECT refused_code FROM mails WHERE id = $1', [mailId]), [{ refused_code: 550 }]);
    assert.equal(await isSent(mailId), false);
    assert.deepEqual(smtp.received, []);
  });

  for (const [step, reply] of [
    ['from', '550 5.7.1 not yours'],
    ['from', '530 5.7.0 authentication required'],
    ['to', '550 5.1.8 sender refused'],
    ['to', '550 5.1.0 <no-reply@tidings.invalid>: Sender address rejected: User unknown in virtual mailbox table'],
    ['mail', '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied'],
    ['to', '550 5.4.5 Daily user sending limit exceeded'],
    ['mail', '554 5.1.90 over the daily limit'],
  ] as const) {
    it(`a mail whose sender is refused with ${reply.slice(0, 10).trim()} stays unsent, and is sent at the next try`, async () => {
      const smtp = await startSmtp();
      smtp.refuse[step].push(reply);
      const config = testConfig({ SMTP_URL: smtp.url });
      const { mailId } = await buildMail(config);
      await assert.rejects(activitiesWith(config).sendMail(mailId), { message: new RegExp(` ${reply.slice(0, 3)} `) });
      await activitiesWith(config).sendMail(mailId);
      await smtp.close();
      assert.equal(await isSent(mailId), true);
    });
  }

  it('a mail is given up when its mailbox refuses it because it gets too many mails', async () => {
    const { mailId } = await sendToRefused('550 5.2.121 too many mails from this sender');
    assert.deepEqual(await rows(test.db, 'SELECT refused_code FROM mails WHERE id = $1', [mailId]), [{ refused_code: 550 }]);
  });

  it('a mail stays unsent while its mail server cannot be reached', async () => {
    const smtp = await startSmtp();
    const config = testConfig({ SMTP_URL: smtp.url });
    const { mailId } = await buildMail(config);
    await smtp.close();
    await assert.rejects(activitiesWith(config).sendMail(mailId), notSent('ESOCKET ECONNREFUSED (CONN)'));
    assert.equal(await isSent(mailId), false);
  });

  it('a mail is sent to a remote server without TLS only if the URL allows it', async () => {
    const server = await startSmtp({}, '127.0.0.2'); // not one of the names of this machine that are known for it
    try {
      const { mailId } = await buildMail(testConfig());
      await assert.rejects(activitiesWith(testConfig({ SMTP_URL: server.url })).sendMail(mailId), /STARTTLS/i);
      assert.deepEqual([await isSent(mailId), server.received.length], [false, 0]);
      await activitiesWith(testConfig({ SMTP_URL: `${server.url}?tls=optional` })).sendMail(mailId);
      assert.deepEqual([await isSent(mailId), server.received.length], [true, 1]);
    } finally {
      await server.close();
    }
  });
});
