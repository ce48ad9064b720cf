import { isPermanentReply } from '../../models/rules/failures/smtp.js';

/** The error of nodemailer for a mail that was not sent. */
export interface SmtpError {
  /** The step that failed. */
  code?: string;
  originalCode?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

/**
 * Whether the server refused this mail for good. A reply to the envelope or the content is about the mail. A reply to the log-in or the
 * connection is not.
 */
export const isPermanentRefusal = ({ code, responseCode = 0 }: SmtpError): boolean =>
  (code === 'EENVELOPE' || code === 'EMESSAGE') && isPermanentReply(responseCode);

/** The codes of an error, for operators. The texts of servers often name the recipient. */
export const smtpFaultOf = ({ code = 'error', originalCode = '', responseCode = 0 }: SmtpError): string =>
  `${code} ${responseCode === 0 ? originalCode : responseCode}`.trim();
