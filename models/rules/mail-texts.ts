/** The texts of the account mails. Links are made from PUBLIC_URL, never from a request. */
export const mailKinds = ['verify_email', 'reset_password', 'password_changed'] as const;
export type MailKind = (typeof mailKinds)[number];

export interface MailContext {
  name: string;
  publicUrl: string;
  token: string | undefined;
}

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

interface Draft {
  subject: string;
  lines: string[];
  /** Path below PUBLIC_URL that the token is appended to. */
  link?: string;
}

const drafts: Readonly<Record<MailKind, Draft>> = {
  verify_email: {
    subject: 'Verify your e-mail address',
    lines: ['Please confirm that this address is yours. The link is valid for 24 hours.'],
    link: '/verify-email',
  },
  reset_password: {
    subject: 'Reset your password',
    lines: ['Somebody asked to reset the password of this workspace. The link is valid for 60 minutes.', 'If it was not you, ignore this mail.'],
    link: '/reset-password',
  },
  password_changed: {
    subject: 'Your password was changed',
    lines: ['The password of this workspace was changed and all sessions were ended.', 'If it was not you, reset the password now.'],
  },
};

/** Subject, text and HTML of a mail; the link carries `token=<token>` (decisions §2). */
export function renderMail(kind: MailKind, { name, publicUrl, token }: MailContext): MailText {
  const { subject, lines, link } = drafts[kind];
  const url = link === undefined || token === undefined ? undefined : `${publicUrl}${link}?token=${token}`;
  const greeting = `Hello ${name},`;
  const text = [greeting, ...lines, ...(url === undefined ? [] : [url])].join('\n\n');
  const paragraphs = [greeting, ...lines].map((line) => `<p>${escapeHtml(line)}</p>`);
  const html = [...paragraphs, ...(url === undefined ? [] : [`<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`])].join('\n');
  return { subject, text: `${text}\n`, html };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] as string);
