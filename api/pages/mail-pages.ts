/**
 * The pages behind the links in e-mails. Opening a page changes nothing, because mail scanners open every link. The token is used when a
 * person presses the button, which calls the same operation as an API client.
 */
import express, { type Router } from 'express';
import { mailLinks } from '../../models/rules/accounts/mail-texts.js';
import { mountOptions } from '../http/options.js';
import { asPage } from './pages.js';
import type { Limiter } from '../http/rate-limit.js';

interface MailPage {
  path: string;
  title: string;
  /** The HTML inside the form. The names of inputs are the fields of the operation. */
  fields: string;
  button: string;
  /** A relative URL, so that it also works behind a proxy with a path prefix. */
  operation: string;
}

const pages: readonly MailPage[] = [
  {
    path: mailLinks.verify_email,
    title: 'Verify your e-mail address',
    fields: '<p>Please confirm that this address is yours.</p>',
    button: 'Verify',
    operation: 'api/v1/auth/verify-email',
  },
  {
    path: mailLinks.reset_password,
    title: 'Set a new password',
    fields:
      '<p><label>New password <input type="password" name="password" minlength="8" autocomplete="new-password" required autofocus></label></p>',
    button: 'Set password',
    operation: 'api/v1/auth/reset-password',
  },
];

const scriptPath = '/mail-pages.js';

const html = ({ title, fields, button, operation }: MailPage) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <link rel="icon" href="data:,">
    <script src="${scriptPath.slice(1)}" defer></script>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <form method="post" data-operation="${operation}">
        ${fields}
        <p><button>${button}</button></p>
      </form>
      <p role="status"></p>
      <noscript><p>This page needs JavaScript.</p></noscript>
    </main>
  </body>
</html>
`;

/** The token is in the fragment of the URL; in old mails it was in the query. The page shows the message of the response unchanged. */
const script = `const form = document.querySelector('form');
const button = document.querySelector('button');
const outcome = document.querySelector('[role=status]');

async function submit() {
  const token = [location.hash.slice(1), location.search].map((part) => new URLSearchParams(part).get('token')).find(Boolean) ?? '';
  const response = await fetch(form.dataset.operation, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token, ...Object.fromEntries(new FormData(form)) }),
  });
  const { success, data, error } = await response.json();
  form.hidden = success;
  return success ? data.message : error;
}

// Opening another of our links in the same tab changes only the fragment.
window.addEventListener('hashchange', () => location.reload());

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  outcome.textContent = await submit().catch(() => 'The service cannot be reached. Please try again.');
  button.disabled = false;
});
`;

/** Forms cannot be submitted without the script, because a password must not be sent as a plain form. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Serves `/verify-email`, `/reset-password` and their script. The server neither reads nor logs the token. */
export function createMailPages(limiter: Limiter): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const page of pages) {
    router.get(page.path, asPage(limiter, page.path, policy), (_req, res) => void res.type('html').send(html(page)));
  }
  router.get(scriptPath, asPage(limiter, scriptPath, policy), (_req, res) => void res.type('js').send(script));
  mountOptions(
    router,
    [...pages.map(({ path }) => path), scriptPath].map((path) => ({ method: 'get', path })),
    limiter,
  );
  return router;
}
