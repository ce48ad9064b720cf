/**
 * The page behind the unsubscribe link of a mail, for mail programs that open the link instead of posting to it. Opening it changes nothing,
 * because mail scanners open every link.
 */
import { pageHtml } from './page-shell.js';

export const unsubscribeScript = {
  path: '/unsubscribe.js',
  text: `const button = document.querySelector('button');
const outcome = document.querySelector('[role=status]');

async function unsubscribe() {
  const response = await fetch(location.pathname, { method: 'POST' });
  if (response.status === 404) return 'This link is not valid.';
  const { success, data, error } = await response.json();
  button.hidden = success;
  return success ? data.message : error;
}

button.addEventListener('click', async () => {
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  outcome.textContent = await unsubscribe().catch(() => 'The service cannot be reached. Please try again.');
  button.ariaDisabled = 'false';
});
`,
};

export const unsubscribePage = pageHtml({
  title: 'Unsubscribe',
  base: '../',
  script: `..${unsubscribeScript.path}`,
  content: `<p>Press the button to get no more e-mails from the sender of the e-mail that led you here.</p>
      <p><button type="button">Unsubscribe</button></p>
      <p role="status"></p>
      <noscript><p>This page needs JavaScript. The unsubscribe button of your mail program works without it.</p></noscript>`,
});
