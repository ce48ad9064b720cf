/**
 * E-mail through any mail server. SMTP has no delivery reports: `sent` means that the server took the mail, and the message stays `sent` with
 * the detail `unknown`. Bounces go to the mailbox of the sender.
 */
import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { AccountOf } from '../../../models/rules/routing/provider-kinds.js';
import { mailServerDeadlineMs } from '../../../models/rules/routing/provider-deadline.js';
import { isAboutRecipient, smtpFailureOf } from '../../../models/rules/failures/smtp.js';
import { domainOf } from '../../../models/rules/values/email.js';
import { connectionTo } from '../../support/mail-transport.js';
import { isPermanentRefusal, type SmtpError, smtpFaultOf } from '../../support/smtp-error.js';
import { literalSubject } from './mail.js';
import { rejected } from './outcomes.js';
import type { OutgoingMessage, Provider, SendOutcome } from './provider.js';

const dnsTimeoutMs = 4_000;
/** Includes the greeting, which servers delay because senders of spam do not wait for it. Leaves half of a call for the mail. */
const connectTimeoutMs = 20_000;
const idleSocketMs = 2_000;
const connectionsMax = 10;

/** The Message-ID is `<our id@domain of the sender>`. The outcome of a call whose answer was lost cannot be found out. */
export function smtpAdapter({ name, url, from }: AccountOf<'smtp'>, publicUrl: string): Provider {
  const transport = createTransport(poolOptions(url, { from, publicUrl }));
  // Message-ID → the mail was read. It is read after the server accepted sender and recipient; before that the server cannot have it.
  const bytes = new Map<string, Readable>();
  transport.use('stream', ({ message }, done) => {
    message.processFunc((mail) => {
      bytes.set(message.messageId(), mail);
      return mail;
    });
    done();
  });
  const domain = domainOf(from);
  return {
    name,
    idempotent: false,
    deadlineMs: mailServerDeadlineMs,
    connectionsMax,

    async send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
      const { id, to, content, headers } = message;
      const messageId = `<${id}@${domain}>`;
      const mail = { from, to: { name: '', address: to }, messageId, subject: literalSubject(content), ...textsOf(content) };
      try {
        await transport.sendMail({ ...mail, headers: { ...headers }, signal });
        return { outcome: 'accepted', provider_message_id: messageId, isUnreported: true };
      } catch (error) {
        return outcomeOf(error as SmtpError, bytes.get(messageId)?.readableDidRead === true);
      } finally {
        bytes.delete(messageId);
      }
    },

    checkCredentials: () =>
      transport.verify().then(
        () => 'accepted',
        (error: SmtpError) => (error.code === 'EAUTH' ? 'refused' : { unclear: error.code ?? 'no answer' }),
      ),
  };
}

const textsOf = ({ text, html }: OutgoingMessage['content']) => ({ text, ...(html === undefined ? {} : { html }) });

/** The texts of customers are less secret than a password: without one, TLS is not required. */
function poolOptions(url: string, sender: { from: string; publicUrl: string }) {
  return {
    ...connectionTo(url, sender, { needsTls: new URL(url).username !== '' }),
    pool: true,
    maxConnections: connectionsMax,
    maxMessages: Number.POSITIVE_INFINITY,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    dnsTimeout: dnsTimeoutMs,
    socketTimeout: mailServerDeadlineMs,
    idleTimeout: idleSocketMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as const;
}

function outcomeOf(error: SmtpError, isRead: boolean): SendOutcome {
  const { command, response = '', responseCode = 0 } = error;
  if (isPermanentRefusal(error)) {
    const failure = smtpFailureOf(command, response);
    return rejected('email', failure, failure.providerCode);
  }
  const detail = smtpFaultOf(error);
  if (isAboutRecipient(command, response)) return { outcome: 'retryable', detail, concernsRecipient: true };
  return { outcome: isRead && responseCode < 400 ? 'unknown' : 'retryable', detail };
}
