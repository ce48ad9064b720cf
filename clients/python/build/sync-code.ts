/**
 * The synchronous half of the client, derived from the asynchronous one: the two differ in their waiting only, so that each rule is
 * written once.
 */

/** In this order. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\basync (def|for|with)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\b__a(enter|exit|iter)__\b/g, '__$1__'],
  [/\ba(close|read|iter_bytes)\(/g, '$1('],
  [/\bfrom anyio import fail_after\b/g, 'from contextlib import nullcontext'],
  [/\bfrom anyio.lowlevel import current_token as connection_owner\b/g, 'from os import getpid as connection_owner'],
  [/\bfrom anyio import sleep\b/g, 'from time import sleep'],
  [/\bAsyncGenerator\[(\w+), None\]/g, 'Generator[$1, None, None]'],
  [/\bAsync(?=[A-Z])/g, ''],
  [/\basynchronous\b/g, 'synchronous'],
];

const head = '# Generated from _async by `npm run generate`: do not edit it.\n';

/** A module of `_sync`. @param source the module of the same name in `_async` */
export const syncCode = (source: string): string =>
  head + replacements.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), source);
