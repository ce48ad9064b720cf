/** Pages for browsers at addresses that answer programs in JSON: only a request that names `text/html`, as browsers do, gets the page. */
import express, { type RequestHandler, type Router } from 'express';
import { mountOptions } from '../http/options.js';
import type { Limiter } from '../http/rate-limit.js';
import { channelsInWords } from '../present/channel-texts.js';
import { checkoutOutcome } from '../present/checkout-outcome.js';
import { pageHtml, pagePolicy } from './page-shell.js';
import { guardPage, type PageRate } from './page-guard.js';
import { unsubscribePage, unsubscribeScript } from './unsubscribe-page.js';

const home = pageHtml({
  title: 'Tidings',
  content: `<p>Durable messaging over HTTP: one API for ${channelsInWords}.</p>
      <ul>
        <li><a href="console">Console</a>: send messages, watch them arrive, manage webhooks</li>
        <li><a href="docs">API reference</a>, where you can try each operation</li>
        <li><a href="openapi.json">OpenAPI document</a>, for generated clients</li>
        <li><a href="health">Health</a> of this installation</li>
        <li><a href="forgot-password">Forgotten password</a></li>
      </ul>
      <p class="note">Programs call <code>/api/v1</code>.</p>`,
});

const checkoutPage = (checkout: unknown) => {
  const { title, message } = checkoutOutcome(checkout);
  return pageHtml({
    title,
    base: '../',
    content: `<p>${message}</p>\n      <p><a href="../console/billing">Balance and ledger</a> in the console</p>
      <p class="note">You can close this page.</p>`,
  });
};

const unsubscribePath = '/unsubscribe/:token';

/** Serves `/`, `/billing/return` and `/unsubscribe/…`. It comes before the router of the endpoints. */
export function createBrowserPages(limiter: Limiter): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const serve = (path: string, page: (query: Record<string, unknown>) => string, rateClass?: PageRate) =>
    router.get(
      path,
      onlyBrowsers,
      guardPage(limiter, path, pagePolicy, rateClass),
      (req, res) => void res.type('html').send(page(req.query)),
    );
  serve('/', () => home);
  serve('/billing/return', ({ checkout }) => checkoutPage(checkout));
  // Mail scanners open the links of many people from one address.
  serve(unsubscribePath, () => unsubscribePage, 'callback');
  const { path: scriptPath, text: script } = unsubscribeScript;
  router.get(scriptPath, guardPage(limiter, scriptPath, pagePolicy, 'callback'), (_req, res) => void res.type('js').send(script));
  // Express answers OPTIONS with 200 as soon as a router knows the path.
  const declared = ['/', '/billing/return', unsubscribePath, scriptPath].map((path) => ({ method: 'get' as const, path }));
  mountOptions(router, [{ method: 'post', path: unsubscribePath }, ...declared], limiter);
  return router;
}

const onlyBrowsers: RequestHandler = (req, res, next) => {
  res.vary('Accept');
  next(/\btext\/html\b/i.test(req.headers.accept ?? '') ? undefined : 'route');
};
