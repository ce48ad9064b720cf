/** The texts of the account mails. Links start with PUBLIC_URL, never with data of a request. */
import type { MailDetail, MailKind } from './mail-kinds.js';
import { plainName } from './plain-name.js';
import { creditsText } from '../billing/credits.js';
import { countText } from '../values/text.js';
import { escapeHtml } from '../values/html.js';

export interface MailContext {
  name: string;
  publicUrl: string;
  token: string | undefined;
  /**
   * Whether the owner has proved that the mail's address is theirs. Anybody can sign up with the address of another person, whom links of
   * their choice must not reach.
   */
  isVerified: boolean;
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
  /** The path below PUBLIC_URL to which the token is appended. */
  link?: string;
  /** The path below PUBLIC_URL of a page that needs no token. */
  page?: string;
}

/** The targets of the links in mails, below PUBLIC_URL. */
export const mailLinks = { verify_email: '/verify-email', reset_password: '/reset-password', forgot_password: '/forgot-password' } as const;

type Address = string | null | undefined;
const from = (address: Address) => (typeof address === 'string' ? ` from the address ${address}` : '');
const lastFrom = (address: Address) => (typeof address === 'string' ? `, most recently${from(address)}` : '');
const newFrom = (address: Address) => (typeof address === 'string' ? ` from a new address: ${address}` : ' from a new address');
const codesLeft = (count: number) => {
  if (count === 0) return 'No recovery code is left: disable the second factor and set it up again to get new ones.';
  return `${countText(count, 'recovery code')} ${count === 1 ? 'is' : 'are'} left.`;
};
const notYou = 'If it was not you, reset the password now, and revoke the API keys.';

// Stryker disable StringLiteral,ArrayDeclaration: tests would repeat the texts
const drafts: Readonly<Record<MailKind, Draft>> = {
  verify_email: {
    subject: 'Verify your e-mail address',
    lines: () => [
      'Please confirm that this address is yours. The link is valid for 24 hours.',
      'If you did not sign up, ignore this e-mail.',
    ],
    link: mailLinks.verify_email,
  },
  reset_password: {
    subject: 'Reset your password',
    lines: () => [
      'Somebody asked to reset the password of this workspace. The link is valid for 60 minutes.',
      'If it was not you, ignore this e-mail.',
    ],
    link: mailLinks.reset_password,
  },
  password_changed: {
    subject: 'Your password was changed',
    lines: ({ keys, webhooks, totp_disabled: hasLostTotp = false }) => [
      'The password of this workspace was changed and all sessions were ended.',
      ...(hasLostTotp ? ['Its second factor was disabled. Logins need the password alone from now on.'] : []),
      ...remaining('API keys', 'still work', keys?.map(plainName)),
      ...remaining('webhooks', 'still receive events', webhooks),
      'If it was not you, reset the password now.',
    ],
    page: mailLinks.forgot_password,
  },
  change_email: {
    subject: 'Confirm your new e-mail address',
    lines: () => ['Please confirm that this is the new address of the workspace. The link is valid for 24 hours.'],
    link: mailLinks.verify_email,
  },
  email_change_asked: {
    subject: 'Your e-mail address is about to change',
    lines: () => [
      'Somebody requested a new e-mail address for this workspace. The change takes effect after the new address is confirmed.',
      notYou,
    ],
    page: mailLinks.forgot_password,
  },
  new_api_key: {
    subject: 'A new API key was created',
    lines: ({ key = '', address }) => [`The API key ${plainName(key)} was created${from(address)}.`, notYou],
    page: mailLinks.forgot_password,
  },
  new_login: {
    subject: 'A login from a new address',
    lines: ({ address }) => [`Somebody logged in to this workspace${newFrom(address)}.`, notYou],
    page: mailLinks.forgot_password,
  },
  login_locked: {
    subject: 'Too many wrong passwords',
    lines: ({ address }) => [
      `Somebody tried several wrong passwords or codes for this workspace${lastFrom(address)}. Logins are locked for up to 15 minutes.`,
      'Reset the password to log in immediately.',
    ],
    page: mailLinks.forgot_password,
  },
  totp_enabled: {
    subject: 'A second factor was enabled',
    lines: ({ address }) => [
      `A second factor was enabled for this workspace${from(address)}. Logins need a code of an authenticator app from now on.`,
      `${notYou} The second factor stays enabled after a reset: ask the operator of this service to disable it.`,
    ],
    page: mailLinks.forgot_password,
  },
  totp_disabled: {
    subject: 'The second factor was disabled',
    lines: ({ address }) => [
      `The second factor of this workspace was disabled${from(address)}. Logins need the password alone from now on.`,
      notYou,
    ],
    page: mailLinks.forgot_password,
  },
  recovery_code_used: {
    subject: 'A recovery code was used',
    lines: ({ address, recovery_codes_left: left = 0 }) => [
      `Somebody logged in to this workspace${from(address)} with a recovery code. ${codesLeft(left)}`,
      notYou,
    ],
    page: mailLinks.forgot_password,
  },
  workspace_closed: {
    subject: 'Your account was closed',
    lines: () => ['This workspace was closed. Its API keys and webhooks no longer work. Messages that were not handed off are cancelled.'],
  },
  low_balance: {
    subject: 'Your credits are running low',
    lines: ({ balance = 0 }) => [
      `This workspace has ${creditsText(balance)} left. Sends that cost more are refused.`,
      'Buy credits to continue sending.',
    ],
    page: '/console/billing',
  },
  webhook_disabled: {
    subject: 'A webhook was disabled',
    lines: ({ url = '', reason = '', body_days: days = 0 }) => [
      `The webhook ${url} was disabled. ${reason}.`,
      `Its events are held from now on${days === 0 ? '' : `. Each can be sent for ${countText(days, 'day')}`}. Activate the webhook again and replay them.`,
    ],
    page: '/console/webhooks',
  },
};
// Stryker restore StringLiteral,ArrayDeclaration

const remaining = (what: string, verb: string, names: readonly string[] | undefined): string[] => {
  if (names === undefined) return [];
  return [names.length === 0 ? `None of its ${what} ${verb}.` : `These ${what} ${verb}: ${names.join(', ')}.`];
};

const withoutLinks = ({ url, webhooks, ...detail }: MailDetail): MailDetail => ({
  ...detail,
  ...(url === undefined ? {} : { url: plainName(withoutScheme(url)) }),
  ...(webhooks === undefined ? {} : { webhooks: webhooks.map((each) => plainName(withoutScheme(each))) }),
});

/** A URL without its scheme, which `plainName` would remove together with the rest. */
const withoutScheme = (url: string) => url.replace(/^[a-z]+:\/\//, '');

/**
 * The subject, text and HTML of a mail. The link contains `token=<token>` (docs/contract/accounts.md) in its fragment, so that browsers
 * send it to no server before the user presses the button, and no proxy logs it.
 */
export function renderMail(kind: MailKind, { name, publicUrl, token, isVerified, detail }: MailContext): MailText {
  const { subject, lines: linesOf, link, page } = drafts[kind];
  const lines = linesOf(isVerified ? (detail ?? {}) : withoutLinks(detail ?? {}));
  const path = page ?? (link === undefined || token === undefined ? undefined : `${link}#token=${token}`);
  const urls = path === undefined ? [] : [`${publicUrl}${path}`];
  const greeting = plainName(name) === '' ? 'Hello,' : `Hello ${plainName(name)},`;
  const htmlLinks = urls.map(escapeHtml).map((url) => `<a href="${url}">${url}</a>`);
  const html = [...[greeting, ...lines].map(escapeHtml), ...htmlLinks].map((line) => `<p>${line}</p>`).join('\n');
  return { subject, text: `${[greeting, ...lines, ...urls].join('\n\n')}\n`, html };
}
