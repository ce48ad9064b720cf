/** `/docs`: Swagger UI from the npm package. The page loads nothing from other hosts and has no inline scripts. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type Router } from 'express';
import { mountOptions } from '../http/options.js';
import { guardPage } from './page-guard.js';
import { sendFile } from './send-file.js';
import type { Limiter } from '../http/rate-limit.js';

const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
const folder = dirname(manifest);
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
const assets = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'];

/** URLs are relative to /docs, so that the page also works behind a proxy with a path prefix. */
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Tidings API</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="docs/${version}/swagger-ui.css">
    <link rel="stylesheet" href="docs/style.css">
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

/** Colours of Swagger UI that have too little contrast (WCAG 2.2, 1.4.3), in darker tones; and code that a keyboard could not scroll is not scrolled. */
const style = `.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #0f5cad }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1a6b45 }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a4b00 }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e }
.swagger-ui .info .title small { background: #4a5160 }
.swagger-ui .info .title small.version-stamp { background: #4d6b00 }
.swagger-ui a, .swagger-ui .info a { color: #0f5cad }
.swagger-ui .btn.authorize { color: #1a6b45; border-color: #1a6b45 }
.swagger-ui .btn.authorize svg { fill: #1a6b45 }
.swagger-ui .parameter__in, .swagger-ui .json-schema-2020-12-expand-deep-button { color: #4a4a4a }
.swagger-ui .highlight-code > .microlight { max-height: none; overflow: visible !important; white-space: pre-wrap }
.operations-heading { font: 600 1.5rem sans-serif; color: #3b4151 }
`;

/**
 * The page calls the server that it came from, whatever the document names as the public address. `validatorUrl: null` keeps the page from
 * sending the document to a validator of the Swagger project. The plugin fixes what assistive technology cannot use: links inside of the
 * buttons of operations, a list of one server without a name, lists of examples without one, and headings that leave out a level.
 */
const start = `const here = new URL('.', location.href).href.slice(0, -1);
const accessible = ({ React }) => ({
  wrapComponents: {
    DeepLink: () => ({ text }) => React.createElement('span', null, text),
    ServersContainer: () => () => null,
    ExamplesSelect: (Original) => (props) =>
      React.createElement('label', { 'aria-label': 'Example' }, 'Example ', React.createElement(Original, { ...props, showLabels: false })),
    InfoContainer: (Original) => (props) =>
      React.createElement('section', { 'aria-label': 'About' }, React.createElement(Original, props)),
    operations: (Original) => (props) =>
      React.createElement('div', null,
        React.createElement('h2', { className: 'operations-heading' }, 'Operations'),
        React.createElement(Original, props)),
  },
});
SwaggerUIBundle({
  plugins: [accessible],
  url: 'openapi.json',
  responseInterceptor(response) {
    if (response.url.endsWith('/openapi.json')) {
      response.text = JSON.stringify({ ...JSON.parse(response.text), servers: [{ url: here }] });
    }
    return response;
  },
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** Swagger UI needs data: images and inline styles, and calls this server only. */
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

/** Serves the page and its files. They have a rate limit per address, separate from API calls. */
export function createDocs(limiter: Limiter): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const limited = guardPage(limiter, '/docs', policy);
  router.get('/docs', limited, (_req, res) => void res.setHeader('Cache-Control', 'no-cache').type('html').send(page));
  router.get('/docs/start.js', limited, (_req, res) => void res.setHeader('Cache-Control', 'no-cache').type('js').send(start));
  router.get('/docs/style.css', limited, (_req, res) => void res.setHeader('Cache-Control', 'no-cache').type('css').send(style));
  for (const name of assets) {
    router.get(`/docs/${version}/${name}`, limited, (_req, res, next) => {
      // The path contains the version of the package, so the content never changes.
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      sendFile(res, folder, name, next);
    });
  }
  const paths = ['/docs', '/docs/start.js', '/docs/style.css', ...assets.map((name) => `/docs/${version}/${name}`)];
  mountOptions(
    router,
    paths.map((path) => ({ method: 'get', path })),
    limiter,
  );
  return router;
}
