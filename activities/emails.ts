/** The activity that sends the account mails. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Config } from '../models/settings/config.js';
import type { Database } from '../models/db/database.js';
import type { Logger } from '../models/process/logger.js';
import { loadMail, markMailRefused, markMailSent } from '../models/operations/mails/load-mail.js';
import { type MailText, renderMail } from '../models/rules/accounts/mail-texts.js';
import { mailToken } from '../models/rules/accounts/mail-token.js';
import { mailTransport } from './support/mail-transport.js';
import { forgetMailFiles } from './watch/forget-mail-files.js';

export interface EmailDeps {
  db: Database;
  config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'publicUrl' | 'secretKey'>;
  logger: Logger;
}

const lineLengthMax = 998;

export function emailActivities({ db, config, logger }: EmailDeps) {
  const smtp = config.smtpUrl === undefined ? undefined : mailTransport(config.smtpUrl);
  const toFile = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    /**
     * Sends one account mail through SMTP, or writes it to `<DATA_DIR>/mail/<id>.eml`. A call for a mail that was sent does nothing. A crash
     * can still send a mail twice; both then have the same Message-ID, which is made of the id.
     */
    async sendMail(mailId: string): Promise<void> {
      const mail = await loadMail(db, mailId);
      if (mail === null || mail.sent_at !== null) return;
      const token = mail.token_id === null ? undefined : mailToken(config.secretKey, mail.token_id);
      const envelope = { from: config.mailFrom, to: mail.email, messageId: `<${mailId}@tidings>` };
      const rendered = renderMail(mail.kind, { name: mail.name, publicUrl: config.publicUrl, token, detail: mail.detail });
      const whole = { ...envelope, ...rendered, ...asTheyStand(rendered, { takes8Bit: smtp === undefined }) };
      try {
        if (smtp !== undefined) await smtp.sendMail(whole);
        else await writeEml(mailId, (await toFile.sendMail(whole)).message as Buffer);
      } catch (error) {
        const code = permanentRefusal(error);
        if (code === null) throw error;
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

/**
 * The texts of a mail without an encoding, if the transport allows it. Quoted-printable breaks links (`token=3D…`), so that they cannot be
 * copied from a file or a mail server.
 * @param takes8Bit if false, a text with non-ASCII characters or lines too long for SMTP (RFC 5322 §2.1.1) is encoded
 */
function asTheyStand({ text, html }: Pick<MailText, 'text' | 'html'>, { takes8Bit }: { takes8Bit: boolean }) {
  const part = (kind: 'plain' | 'html', content: string) => {
    const is7Bit = Buffer.byteLength(content) === content.length && content.split('\n').every((line) => line.length <= lineLengthMax);
    if (!is7Bit && !takes8Bit) return content;
    const encoding = is7Bit ? '7bit' : '8bit';
    return { raw: `Content-Type: text/${kind}; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${content}` };
  };
  return { text: part('plain', text), html: part('html', html) };
}

/** The reply code of a permanent rejection of this mail (RFC 5321 §4.2.1: 5yz); null for temporary faults and for faults of the log-in. */
function permanentRefusal(error: unknown): number | null {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined && responseCode >= 500 ? responseCode : null;
}
