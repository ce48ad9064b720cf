/** Helpers of the e-mail providers. */
import type { Content } from '../../../models/rules/messages/message-content.js';
import type { OutgoingMessage } from './provider.js';

/** Several providers refuse a mail without a subject. */
const noSubject = '(no subject)';

export const subjectOf = ({ subject = '' }: Content): string => (subject === '' ? noSubject : subject);

/** `Headers` in the form of several providers. Empty if the mail has no headers of its own. */
export const headersOf = (headers: OutgoingMessage['headers']) =>
  headers === undefined ? {} : { Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })) };

/** The address in `Ada <ada@example.com>` or in `ada@example.com`. */
export const addressOf = (from: string): string => /<([^<>]+)>$/.exec(from)?.[1] ?? from;

/** The name in `Ada <ada@example.com>`; undefined if there is none. */
export const nameOf = (from: string): string | undefined => /^(.*\S)\s*<[^<>]+>$/.exec(from)?.[1];
