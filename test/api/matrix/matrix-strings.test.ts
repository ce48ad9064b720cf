/** Every text field of every body, and every text parameter of every query, against texts that break programs. */
import assert from 'node:assert/strict';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { endpoints } from '../../../api/endpoints/index.js';
import { jsonSchema } from '../../../api/http/schemas/json-schema.js';
import { isStorable } from '../../../models/rules/values/text.js';
import {
  bodyFields,
  credentialFor,
  documented,
  fieldsOf,
  goodBody,
  isPreviewed,
  isText,
  listOf,
  makeResources,
  pathWith,
  placed,
  valueAt,
  writing,
} from './matrix-cases.js';
import { rows } from '../../support/database.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

/** What a field refuses for the same reason, or takes without a change, is in one text. */
const corpus = [
  '',
  ' ',
  'a\0b',
  'a\udfff\ud800b',
  '\u202eRTL\u202c \u05d0\u0628\u200b\u200d\ufeff\u2028\u2029\u0085e\u0301\u0327 \u00e9😀👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿.',
  '𝒳'.repeat(255),
  'ѕmѕ',
  '\r\nBcc: x@example.com\u0001\u001b[31m\u007f',
  "'; DROP TABLE messages; -- ..%2f%00%0d%0a\\",
  '{{constructor}} ${7*7} <script>',
  '__proto__',
  '-1',
  'NaN',
  '1e400',
  'x'.repeat(5000),
];
const huge = 'x'.repeat(1_000_000);
/** Other operations refuse so large a body whole, whatever is in it. */
const takesHuge = ({ bodyBytesMax }: Endpoint) => bodyBytesMax !== undefined;

/** The value at this place of an answer's resource. */
function seenAt(data: Record<string, unknown>, path: string[]): unknown {
  const holder = [data, ...Object.values(data)].find((value) => typeof value === 'object' && value !== null && (path[0] ?? '') in value);
  return valueAt(holder, path);
}

describe('every text field with unusual texts', () => {
  const app = useApi();
  let account: Account;
  let resourceIds: Record<string, string>;
  before(async () => {
    account = await app.account({ balance: 1_000_000_000 });
    resourceIds = await makeResources(app, account);
  });

  const send = (item: Endpoint, body: object) =>
    app.call(item.method.toUpperCase(), pathWith(item, resourceIds[listOf(item)] ?? ''), { ...credentialFor(item, account), body });
  const reader = (item: Endpoint) =>
    endpoints.find(({ method, path }) => method === 'get' && path === `${item.path.replace(/\/send$|\/:id$/, '')}/:id`);

  for (const item of writing) {
    it(`${item.id}: a documented status, and accepted texts come back unchanged`, async () => {
      for (const [at, { path }] of bodyFields(item).filter(isText).entries()) {
        for (const [index, value] of (at === 0 || takesHuge(item) ? [...corpus, huge] : corpus).entries()) {
          const what = `${path.join('.')} ${JSON.stringify(value.slice(0, 30))}`;
          const answer = await send(item, placed(goodBody(item, `${index}${path.join('')}${item.method}`, path), path, value));
          assert.ok(answer.status !== 429 && documented(item).includes(answer.status), `${what}: ${answer.status}`);
          if (answer.status === 401) await rows(app.deps.db, 'DELETE FROM login_tries'); // after five wrong passwords the next would get 429
          if (answer.status >= 300 || isPreviewed(item, path)) continue;
          assert.ok(isStorable(value), `${what} was taken`);
          const seen = seenAt(answer.body.data, path);
          if (seen === undefined) continue;
          if (seen === null) assert.equal(value.trim(), '', `${what} came back as null`);
          if (seen === null) continue;
          assert.ok(seen === value || seen === value.trim(), `${what} came back as ${JSON.stringify(seen)}`);
          const get = reader(item);
          const id = Object.values(answer.body.data as Record<string, { id?: string }>)[0]?.id;
          if (get === undefined || id === undefined) continue;
          const again = await app.call('GET', pathWith(get, id), credentialFor(get, account));
          assert.equal(seenAt(again.body.data, path), seen, what);
        }
      }
    });
  }

  const texts = corpus.filter((text) => text.isWellFormed());
  const declared = new Set<string>();
  /** All texts for a declaration. Lists that share it, such as that of the page, read it with the same code: one text for each. */
  const textsFor = (name: string, schema: object) => {
    const declaration = JSON.stringify([name, schema]);
    const isFirst = !declared.has(declaration);
    declared.add(declaration);
    return isFirst ? texts : ['-1'];
  };
  for (const item of endpoints.filter(({ query }) => query !== undefined)) {
    it(`${item.id}: 200 or 400 for every parameter`, async () => {
      for (const { path, schema } of fieldsOf(jsonSchema(item.query as NonNullable<Endpoint['query']>))) {
        for (const value of textsFor(path.join('.'), schema)) {
          const url = `${pathWith(item, resourceIds[listOf(item)] ?? '')}?${path[0]}=${encodeURIComponent(value)}`;
          const { status } = await app.call(
            'GET',
            item.path.includes(':') ? url : `${item.path}?${url.split('?')[1]}`,
            credentialFor(item, account),
          );
          assert.ok(status === 200 || status === 400, `${path[0]} ${JSON.stringify(value)}: ${status}`);
        }
      }
    });
  }
});
