/** The frame of the small HTML pages: one style sheet, no inline code, nothing from other hosts. URLs are relative, for proxies with a path prefix. */
import type { Router } from 'express';
import type { Limiter } from '../http/rate-limit.js';
import { servePages } from './page-guard.js';

const stylePath = '/pages.css';

/** The colours have a contrast of at least 7:1 in both schemes. */
const style = `:root { color-scheme: light dark; --text: #1a1a1a; --back: #fafafa; --note: #4a4a4a; --line: #767676; --link: #0b4f9e }
@media (prefers-color-scheme: dark) { :root { --text: #f0f0f0; --back: #161616; --note: #c0c0c0; --line: #8a8a8a; --link: #9cc7ff } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem; color: var(--text); background: var(--back) }
h1 { font-size: 1.5rem } a { color: var(--link) } .note, .hint { color: var(--note); font-size: .9rem } li { margin: .4rem 0 }
label { display: block } input { font: inherit; display: block; box-sizing: border-box; width: 100%; margin-top: .25rem; padding: .5rem; border: 1px solid var(--line); border-radius: .4rem }
[type=checkbox] { display: inline; width: auto; margin: 0 .4rem 0 0 }
button { font: inherit; padding: .5rem 1rem; border: 1px solid var(--text); border-radius: .4rem; color: var(--back); background: var(--text); cursor: pointer }
[aria-disabled=true] { opacity: .6; cursor: wait } [role=status] { font-weight: 600 } .hint { font-weight: 400 }
`;

interface Page {
  title: string;
  /** The HTML of the main part. Texts from outside must be escaped. */
  content: string;
  /** The relative URL of a script. */
  script?: string;
  /** The relative URL of the root, for a page in a folder. */
  base?: string;
}

/** A whole page. */
export const pageHtml = ({ title, content, script, base = '' }: Page): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${base}${stylePath.slice(1)}">${script === undefined ? '' : `\n    <script src="${script}" defer></script>`}
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      ${content}
    </main>
  </body>
</html>
`;

/** Forms cannot be submitted without a script, because a password must not be sent as a plain form. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Serves the style sheet. */
export const createPageStyle = (limiter: Limiter): Router =>
  servePages(limiter, pagePolicy, [{ path: stylePath, type: 'css', text: style }]);
