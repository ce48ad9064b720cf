/** `/console`: the console, a single-page app that `npm run build` makes. The page has no inline code and loads nothing from other hosts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import { findFrameAncestors } from '../../models/operations/webhooks/find-frame-ancestors.js';
import { notFound } from '../../models/errors.js';
import type { Deps } from '../deps.js';
import { answerOptions, mountOptions } from '../http/options.js';
import type { Limiter } from '../http/rate-limit.js';
import { guardPage } from './page-guard.js';
import { sendFile } from './send-file.js';

const site = join(import.meta.dirname, '../../console/site');
const assetsPath = '/console/assets';

/** What the page loads first, as the build step of the console writes it. Paths are file names in the folder of the assets. */
export interface Manifest {
  script: string;
  style: string;
  icon: string;
  /** Parts that the script imports at once: the page asks for them at the same time. */
  preloads: string[];
  /** The licences of the packages in the bundle. */
  licenses: string;
}

const directives = ["default-src 'self'", "object-src 'none'", "base-uri 'none'", "form-action 'none'"];
const policy = [...directives, "frame-ancestors 'none'"];

/** @param root the relative URL of the folder of the assets, so that the page also works behind a proxy with a path prefix */
const pageOf = ({ script, style, icon, preloads, licenses }: Manifest, root: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Tidings console</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" type="image/svg+xml" href="${root}${icon}">
    <link rel="license" type="text/plain" href="${root}${licenses}">
    <link rel="stylesheet" href="${root}${style}">
${preloads.map((name) => `    <link rel="modulepreload" href="${root}${name}">\n`).join('')}    <script type="module" src="${root}${script}"></script>
  </head>
  <body>
    <div id="console"></div>
    <noscript>The console needs JavaScript. The API reference is at /docs.</noscript>
  </body>
</html>
`;

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/** The suffixes of the compressed forms of a file, by their encodings. */
const suffixes = { br: '.br', gzip: '.gz' } as const;
/** The smaller form first: browsers accept both alike, and name gzip first. */
const encodings = ['br', 'gzip'] as const;

/** Serves the page at `/console` and all addresses below, and its files. It comes after the endpoints: the session is below `/console`, too. */
export function createConsole({ limiter, db }: Pick<Deps, 'limiter' | 'db'>): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const manifest = JSON.parse(readFileSync(join(site, 'manifest.json'), 'utf8')) as Manifest;
  const names = readdirSync(join(site, 'assets')).filter((name) => !/\.(br|gz)$/.test(name));
  for (const name of names) serveAsset(router, limiter, name);
  const sendPage: RequestHandler = (req, res) => {
    const depth = req.path.split('/').length - 2;
    const root = depth === 0 ? 'console/assets/' : `${'../'.repeat(depth - 1)}assets/`;
    res.setHeader('Cache-Control', 'no-cache').type('html').send(pageOf(manifest, root));
  };
  const portal = '/console/portal/webhooks/:id';
  router.get([portal, `${portal}/*screen`], guardPage(limiter, '/console/portal', policy), inFrames(db), sendPage);
  router.get(['/console', '/console/*screen'], onlyScreens, guardPage(limiter, '/console', policy), sendPage);
  router.get('/console/', guardPage(limiter, '/console', policy), (_req, res) => res.redirect(308, '../console'));
  mountOptions(
    router,
    ['/console', ...names.map((name) => `${assetsPath}/${name}`)].map((path) => ({ method: 'get', path })),
    limiter,
  );
  const screens = ['/console/', '/console/*screen'];
  router.options(screens, refuseOthers, answerOptions(limiter, '/console', ['GET']));
  return router;
}

/** Lets the sites that the owner of the webhook chose show its portal in a frame. */
const inFrames =
  (db: Deps['db']): RequestHandler =>
  async ({ params: { id } }, res, next) => {
    const sites = await findFrameAncestors(db, String(id));
    if (sites.length > 0) {
      res.setHeader('Content-Security-Policy', [...directives, `frame-ancestors ${sites.join(' ')}`].join('; '));
      res.removeHeader('X-Frame-Options'); // that header cannot list several sites
    }
    next();
  };

/** An old file, and the session, are no screens: an unknown route there is an unknown route. */
const isScreen = (path: string) => !path.startsWith(`${assetsPath}/`) && !path.startsWith('/console/session');

const onlyScreens: RequestHandler = ({ path }, _res, next) => {
  next(isScreen(path) ? undefined : 'route');
};

/** For OPTIONS. After `next('route')` Express would answer by itself. */
const refuseOthers: RequestHandler = ({ path }, _res, next) => {
  next(isScreen(path) ? undefined : notFound());
};

/** Each file is counted by itself: a page load asks for several. */
function serveAsset(router: Router, limiter: Limiter, name: string): void {
  const path = `${assetsPath}/${name}`;
  router.get(path, guardPage(limiter, path, policy), (req, res, next) => {
    const encoding = encodings.find((name) => req.acceptsEncodings(name) !== false) ?? null;
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    res.setHeader('Content-Type', types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
    res.vary('Accept-Encoding');
    if (encoding !== null) res.setHeader('Content-Encoding', encoding);
    sendFile(res, join(site, 'assets'), `${name}${encoding === null ? '' : suffixes[encoding]}`, next);
  });
}
