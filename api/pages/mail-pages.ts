/**
 * The pages behind the links in e-mails, and those that send such links. Opening a page changes nothing, because mail scanners open every
 * link. The token is used when a person presses the button, which calls the same operation as an API client.
 */
import type { Router } from 'express';
import { mailLinks } from '../../models/rules/accounts/mail-texts.js';
import type { Limiter } from '../http/rate-limit.js';
import { pageHtml, pagePolicy } from './page-shell.js';
import { servePages } from './page-guard.js';

interface MailPage {
  path: string;
  title: string;
  /** The HTML inside the form. The names of inputs are the fields of the operation. */
  fields: string;
  button: string;
  /** A relative URL, so that it also works behind a proxy with a path prefix. */
  operation: string;
  /** Where a new link is sent from, on the pages that need one. */
  again?: string;
}

const resendPath = '/resend-verification';
const address = '<p><label>E-mail address <input type="email" name="email" maxlength="254" autocomplete="email" required></label></p>';

const pages: readonly MailPage[] = [
  {
    path: mailLinks.verify_email,
    title: 'Verify your e-mail address',
    fields: '<p>Please confirm that this address is yours.</p>',
    button: 'Verify',
    operation: 'api/v1/auth/verify-email',
    again: resendPath,
  },
  {
    path: mailLinks.reset_password,
    title: 'Set a new password',
    fields: `<p><label>New password <input type="password" name="password" minlength="8" autocomplete="new-password" required autofocus></label></p>
        <p><label><input type="checkbox" name="revoke_api_keys" aria-describedby="keys-note"> Also revoke all API keys</label></p>
        <p class="note" id="keys-note">Choose it if somebody else may have had access. Programs that send with these keys stop sending at once.</p>`,
    button: 'Set password',
    operation: 'api/v1/auth/reset-password',
    again: mailLinks.forgot_password,
  },
  {
    path: mailLinks.forgot_password,
    title: 'Reset your password',
    fields: `<p>You get an e-mail with a link to set a new password. The link is valid for 60 minutes.</p>\n        ${address}`,
    button: 'Send the link',
    operation: 'api/v1/auth/forgot-password',
  },
  {
    path: resendPath,
    title: 'Get a new verification link',
    fields: `<p>You get an e-mail with a link to verify your address. The link is valid for 24 hours.</p>\n        ${address}`,
    button: 'Send the link',
    operation: 'api/v1/auth/resend-verification',
  },
];

const scriptPath = '/mail-pages.js';

const html = ({ title, fields, button, operation, again }: MailPage) =>
  pageHtml({
    title,
    script: scriptPath.slice(1),
    content: `<form method="post" data-operation="${operation}">
        ${fields}
        <p><button>${button}</button></p>
      </form>
      <div role="status">
        <p class="outcome"></p>
        <p class="hint"></p>
      </div>
      ${again === undefined ? '' : `<p class="note">Is the link too old? <a href="${again.slice(1)}">Get a new one</a>.</p>`}
      <p class="note"><a href="console">Open the console</a></p>
      <noscript><p>This page needs JavaScript.</p></noscript>`,
  });

/**
 * The token is in the fragment of the URL. It leaves the address at once, so that the browser's history
 * does not keep it. The page shows the texts of the response unchanged.
 */
const script = `const form = document.querySelector('form');
const button = document.querySelector('button');
const outcome = document.querySelector('.outcome');
const hint = document.querySelector('.hint');
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
if (token !== '') history.replaceState(null, '', location.pathname);

// A checkbox is true or false in the operation; in a form it would be "on" or absent.
function given() {
  const boxes = [...form.querySelectorAll('[type=checkbox]')].map(({ name, checked }) => [name, checked]);
  return { ...Object.fromEntries(new FormData(form)), ...Object.fromEntries(boxes) };
}

async function submit() {
  const response = await fetch(form.dataset.operation, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...(form.elements.email ? {} : { token }), ...given() }),
  });
  const { success, data, error, hints = [] } = await response.json();
  form.hidden = success;
  hint.textContent = success ? '' : (hints[0] ?? '');
  return success ? data.message : error;
}

// Opening another of our links in the same tab changes only the fragment.
window.addEventListener('hashchange', () => location.reload());

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  hint.textContent = ''; // it belongs to the answer before
  outcome.textContent = await submit().catch(() => 'The service cannot be reached. Please try again.');
  button.ariaDisabled = 'false';
});
`;

/** Serves the pages and their script. The server neither reads nor logs the token. */
export const createMailPages = (limiter: Limiter): Router =>
  servePages(limiter, pagePolicy, [
    ...pages.map((page) => ({ path: page.path, type: 'html', text: html(page) })),
    { path: scriptPath, type: 'js', text: script },
  ]);
