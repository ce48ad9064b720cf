/** What the e-mail providers have in common. */
import type { Content } from '../../models/message.js';

/** Several providers refuse a mail without a subject. */
const noSubject = '(no subject)';

export const subjectOf = ({ subject = '' }: Content): string => (subject === '' ? noSubject : subject);

/** The address in `Ada <ada@example.com>`, or alone. */
export const addressOf = (from: string): string => /<([^<>]+)>$/.exec(from)?.[1] ?? from;

/** The name beside it; undefined where there is none. */
export const nameOf = (from: string): string | undefined => /^(.*\S)\s*<[^<>]+>$/.exec(from)?.[1];
