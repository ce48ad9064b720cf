/** `/docs`: Swagger UI from the package beside us. The page loads nothing from another host, and no script that is not a file. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express, { type Router } from 'express';
import { mountOptions } from '../http/options.js';
import { asPage } from './pages.js';
import type { Limiter } from '../http/rate-limit.js';

const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
const folder = dirname(manifest);
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
const assets = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'];

/** Addresses are relative to /docs, so that the page also works below a path of a proxy. */
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Tidings API</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="docs/${version}/swagger-ui.css">
    <link rel="icon" type="image/png" href="docs/${version}/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <noscript>This page needs JavaScript. The OpenAPI document is at <a href="openapi.json">openapi.json</a>.</noscript>
    <script src="docs/${version}/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** `validatorUrl: null`: otherwise the page would show the document to a service of the makers. */
const start = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** Swagger UI draws its icons as data, sets styles on elements by hand, and talks to this server alone. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** The page and its files. They are counted per address, apart from the calls that the page makes. */
export function createDocs(limiter: Limiter): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const limited = asPage(limiter, '/docs', policy);
  router.get('/docs', limited, (_req, res) => void res.setHeader('Cache-Control', 'no-cache').type('html').send(page));
  router.get('/docs/start.js', limited, (_req, res) => void res.setHeader('Cache-Control', 'no-cache').type('js').send(start));
  for (const name of assets) {
    router.get(`/docs/${version}/${name}`, limited, (_req, res, next) => {
      // The version is in the path, and what has a version never changes.
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      res.sendFile(join(folder, name), { lastModified: false }, (error?: Error) => {
        if (error !== undefined && !res.headersSent) next(error);
      });
    });
  }
  const paths = ['/docs', '/docs/start.js', ...assets.map((name) => `/docs/${version}/${name}`)];
  mountOptions(
    router,
    paths.map((path) => ({ method: 'get', path })),
    limiter,
  );
  return router;
}
