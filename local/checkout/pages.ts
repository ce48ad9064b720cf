/** The pages of the local checkout: plain HTML without scripts. The content security policy forbids everything else. */
import { createHash } from 'node:crypto';
import { moneyText } from '../../models/rules/billing/currency.js';
import { escapeHtml } from '../../models/rules/values/html.js';
import type { LocalSession } from './session.js';

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem; color: #1a1a1a; background: #fafafa }
  h1 { font-size: 1.4rem } .amount { font-size: 2rem; margin: .5rem 0 } .note { color: #666; font-size: .9rem }
  button { font: inherit; padding: .5rem 1rem; margin: .25rem .25rem .25rem 0; border: 1px solid #888; border-radius: .4rem; background: #fff; cursor: pointer }
  button.main { background: #1a1a1a; color: #fff } a { color: inherit }
`;

/** Headers of every page. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** The action of a button, by its form name. */
export type Action = 'pay' | 'pay_later' | 'decline' | 'confirm' | 'refuse' | 'refund';

const buttons: Readonly<Record<LocalSession['state'], readonly [Action, string][]>> = {
  open: [
    ['pay', 'Pay'],
    ['pay_later', 'Pay by bank transfer'],
    ['decline', 'Pay with a card that is declined'],
  ],
  processing: [
    ['confirm', 'The bank confirms'],
    ['refuse', 'The bank refuses'],
  ],
  paid: [['refund', 'Refund the payment']],
  failed: [],
  refunded: [],
};

const sentences: Readonly<Record<LocalSession['state'], string>> = {
  open: '',
  processing: 'The bank is processing the payment.',
  paid: 'Paid. The credits are added as soon as Tidings acknowledges the payment.',
  failed: 'The bank refused the payment. Nothing was credited.',
  refunded: 'Refunded. The credits were removed.',
};

/** Whether the page currently shows this button. */
export const isOffered = (state: LocalSession['state'], action: string): action is Action =>
  buttons[state].some(([name]) => name === action);

/** The page of one session, with its possible actions. */
export function sessionPage(session: LocalSession, { wasDeclined, isPending }: { wasDeclined: boolean; isPending: boolean }): string {
  const { state, name, amount, currency, cancelUrl, successUrl } = session;
  const sentence = wasDeclined && state === 'open' ? 'The card was declined. Try another way to pay.' : sentences[state];
  const options = buttons[state].map(
    ([action, label], index) => `<button name="action" value="${action}"${index === 0 ? ' class="main"' : ''}>${label}</button>`,
  );
  return page(`
    <h1>${escapeHtml(name)}</h1>
    <p class="amount">${escapeHtml(moneyText(amount, currency))}</p>
    ${sentence === '' ? '' : `<p><strong>${sentence}</strong>${isPending ? ' Tidings has not acknowledged it yet: <a href="">look again</a>.' : ''}</p>`}
    <form method="post">${options.join('\n')}</form>
    <p><a href="${escapeHtml(state === 'open' || state === 'failed' ? cancelUrl : successUrl)}">${state === 'open' ? 'Cancel' : 'Back to Tidings'}</a></p>`);
}

/** The list of all sessions. */
export function indexPage(sessions: readonly LocalSession[], checkoutUrl: string): string {
  const items = sessions.map(
    ({ id, name, amount, currency, state }) =>
      `<li><a href="/pay/${id}">${escapeHtml(name)}, ${escapeHtml(moneyText(amount, currency))}</a>: ${state}</li>`,
  );
  return page(`
    <h1>Checkout sessions</h1>
    ${items.length === 0 ? '<p>None yet.</p>' : `<ul>${items.join('\n')}</ul>`}
    <p>Create one with <code>POST ${escapeHtml(checkoutUrl)}</code>, a JWT and a <code>package_id</code>.</p>`);
}

export const missingPage = () => page('<h1>There is no such checkout session</h1><p>Create a new one.</p>');

const page = (content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Local checkout</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><main>${content}
<p class="note">This is the local checkout of Tidings. It stands in for the payment provider; no money moves.</p></main></body></html>
`;
