/** The texts of the account mails. Links are made from PUBLIC_URL, never from a request. */
import { formatCredits } from './credits.js';

export const mailKinds = ['verify_email', 'reset_password', 'password_changed', 'low_balance', 'webhook_disabled'] as const;
export type MailKind = (typeof mailKinds)[number];

/** What a mail is about, as of when it was put into the outbox. */
export interface MailDetail {
  /** Thousandths of a credit. */
  balance?: number;
  url?: string;
  reason?: string;
}

export interface MailContext {
  name: string;
  publicUrl: string;
  token: string | undefined;
  detail?: MailDetail | null;
}

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

interface Draft {
  subject: string;
  lines: (detail: MailDetail) => string[];
  /** Path below PUBLIC_URL that the token is appended to. */
  link?: string;
}

/** Where the links of mails lead, below PUBLIC_URL. */
export const mailLinks = { verify_email: '/verify-email', reset_password: '/reset-password' } as const;

const drafts: Readonly<Record<MailKind, Draft>> = {
  verify_email: {
    subject: 'Verify your e-mail address',
    lines: () => ['Please confirm that this address is yours. The link is valid for 24 hours.'],
    link: mailLinks.verify_email,
  },
  reset_password: {
    subject: 'Reset your password',
    lines: () => [
      'Somebody asked to reset the password of this workspace. The link is valid for 60 minutes.',
      'If it was not you, ignore this mail.',
    ],
    link: mailLinks.reset_password,
  },
  password_changed: {
    subject: 'Your password was changed',
    lines: () => ['The password of this workspace was changed and all sessions were ended.', 'If it was not you, reset the password now.'],
  },
  low_balance: {
    subject: 'Your credits are running low',
    lines: ({ balance = 0 }) => [
      `This workspace has ${formatCredits(balance)} credits left. Messages that it cannot pay are refused.`,
      'Buy credits to go on sending.',
    ],
  },
  webhook_disabled: {
    subject: 'A webhook was disabled',
    lines: ({ url = '', reason = '' }) => [
      `The webhook ${url} was disabled. ${reason}.`,
      'Its events are kept from now on. Activate the webhook again and replay them.',
    ],
  },
};

/** Subject, text and HTML of a mail; the link carries `token=<token>` (decisions §2). */
export function renderMail(kind: MailKind, { name, publicUrl, token, detail }: MailContext): MailText {
  const { subject, lines: linesOf, link } = drafts[kind];
  const lines = linesOf(detail ?? {});
  const url = link === undefined || token === undefined ? undefined : `${publicUrl}${link}?token=${token}`;
  const greeting = `Hello ${name},`;
  const text = [greeting, ...lines, ...(url === undefined ? [] : [url])].join('\n\n');
  const paragraphs = [greeting, ...lines].map((line) => `<p>${escapeHtml(line)}</p>`);
  const html = [...paragraphs, ...(url === undefined ? [] : [`<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`])].join('\n');
  return { subject, text: `${text}\n`, html };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] as string);
