/** The activity that sends the account mails. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/activity';
import { createTransport } from 'nodemailer';
import type { Config } from '../models/settings/config.js';
import type { Database } from '../models/db/database.js';
import type { Logger } from '../models/process/logger.js';
import { type LoadedMail, loadMail, markMailRefused, markMailSent } from '../models/operations/mails/load-mail.js';
import { type MailText, renderMail } from '../models/rules/accounts/mail-texts.js';
import { storedMailToken } from '../models/rules/accounts/mail-token.js';
import { domainOf } from '../models/rules/values/email.js';
import { smtpFailureOf } from '../models/rules/failures/smtp.js';
import { mailTransport } from './support/mail-transport.js';
import { isPermanentRefusal, type SmtpError, smtpFaultOf } from './support/smtp-error.js';
import { forgetMailFiles } from './support/forget-mail-files.js';

export interface EmailDeps {
  db: Database;
  config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'publicUrl' | 'secretKeys' | 'webhookRetentionDays'>;
  logger: Logger;
}

/** Stops replies of machines, such as vacation notices (RFC 3834 §5). */
const headers = { 'Auto-Submitted': 'auto-generated' };

const lineLengthMax = 998;
/** The code of a mail that we did not send. */
const ourRefusal = 0;

export function emailActivities({ db, config, logger }: EmailDeps) {
  const smtp = config.smtpUrl === undefined ? undefined : mailTransport(config.smtpUrl, config);
  const toFile = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    /**
     * Sends one account mail through SMTP, or writes it to `<DATA_DIR>/mail/<id>.eml`. A call for a mail that was sent or given up does
     * nothing. A crash can still send a mail twice; both then have the same Message-ID, which is made of the id. A mail whose link works no
     * more is given up, because an outage of the mail server may last longer than the link.
     * @throws ApplicationFailure if the mail server did not take it and may do so later; Error if it cannot be written to a file, or if its link was
     * made with a SECRET_KEY that this process does not know, perhaps because it is older than the key
     */
    async sendMail(mailId: string): Promise<void> {
      const mail = await loadMail(db, mailId);
      if (mail === null || mail.sent_at !== null || mail.refused_code !== null) return;
      if (mail.is_void) return markMailRefused(db, mailId, ourRefusal);
      const envelope = { from: config.mailFrom, to: mail.email, messageId: `<${mailId}@${domainOf(config.mailFrom)}>`, headers };
      const rendered = textOf(mail, config);
      const whole = { ...envelope, ...rendered, ...unencodedParts(rendered, { takes8Bit: smtp === undefined }) };
      try {
        if (smtp !== undefined) await smtp.sendMail(whole);
        else await writeEml(mailId, (await toFile.sendMail(whole)).message as Buffer);
      } catch (error) {
        const code = permanentRefusal(error as SmtpError);
        if (code === null) throw smtp === undefined ? error : notSent(error as SmtpError);
        logger.warn({ mail_id: mailId, code }, 'the mail server rejected a mail permanently');
        return markMailRefused(db, mailId, code);
      }
      await markMailSent(db, mailId);
    },
  };

  async function writeEml(mailId: string, message: Buffer): Promise<void> {
    const folder = join(config.dataDir, 'mail');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${mailId}.eml`);
    await writeFile(file, message, { mode: 0o600 });
    logger.info({ file }, 'wrote a mail to a file');
    await forgetMailFiles(config.dataDir);
  }
}

/** The failure that Temporal and the log show. The error of nodemailer names the recipient in several fields, and often in its message. */
const notSent = (error: SmtpError) =>
  ApplicationFailure.create({
    type: 'MailNotSent',
    message: `The mail server did not take the mail: ${smtpFaultOf(error)} (${error.command ?? 'no command'})`,
  });

/** The subject, text and HTML of the mail. */
function textOf(mail: LoadedMail, { publicUrl, secretKeys, webhookRetentionDays }: EmailDeps['config']): MailText {
  const { kind, name, is_verified: isVerified } = mail;
  const detail = { ...mail.detail, body_days: webhookRetentionDays.bodies };
  return renderMail(kind, { name, publicUrl, token: tokenOf(mail, secretKeys), isVerified, detail });
}

/** The token of the mail; undefined if it needs none. */
function tokenOf({ token_id: id, token_digest }: LoadedMail, secretKeys: readonly string[]): string | undefined {
  if (id === null || token_digest === null) return undefined;
  const token = storedMailToken(secretKeys, id, token_digest);
  if (token === undefined) throw new Error('the link of a mail was made with a SECRET_KEY that this process does not know');
  return token;
}

/**
 * The texts of a mail without an encoding, if the transport allows it. Quoted-printable breaks links (`token=3D…`), so that they cannot be
 * copied from a file or a mail server.
 * @param takes8Bit if false, a text with non-ASCII characters or lines too long for SMTP (RFC 5322 §2.1.1) is encoded
 */
function unencodedParts({ text, html }: Pick<MailText, 'text' | 'html'>, { takes8Bit }: { takes8Bit: boolean }) {
  const part = (kind: 'plain' | 'html', content: string) => {
    const is7Bit = Buffer.byteLength(content) === content.length && content.split('\n').every((line) => line.length <= lineLengthMax);
    if (!is7Bit && !takes8Bit) return content;
    const encoding = is7Bit ? '7bit' : '8bit';
    return { raw: `Content-Type: text/${kind}; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${content}` };
  };
  return { text: part('plain', text), html: part('html', html) };
}

/**
 * The reply code of a permanent rejection of this mail (RFC 5321 §4.2.1: 5yz); null for temporary faults, and for a refused log-in or sender:
 * these are faults of SMTP_URL or MAIL_FROM, so the mail waits until the operator has corrected them. Servers refuse a sender at MAIL FROM, or
 * later with a code for it. A limit of the sender ends with its period.
 */
function permanentRefusal(error: SmtpError): number | null {
  const { command, response = '', responseCode = 0 } = error;
  const { code, concernsRecipient = false } = smtpFailureOf(command, response);
  const isSender = command === 'MAIL FROM' || code === 'sender_refused' || (code === 'limit_exceeded' && !concernsRecipient);
  return isPermanentRefusal(error) && !isSender ? responseCode : null;
}
