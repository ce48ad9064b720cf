/** Every body with fields that are not the caller's to write, and with JSON that traps parsers. */
import assert from 'node:assert/strict';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { rows } from '../../support/database.js';
import {
  bodyFields,
  credentialFor,
  documented,
  goodBody,
  isPreviewed,
  listOf,
  makeResources,
  pathWith,
  placed,
  writing,
} from './matrix-cases.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const number = 987_654_321;
const foreign = {
  id: '99999999-9999-7999-8999-999999999999',
  workspace_id: '99999999-9999-7999-8999-999999999999',
  created_at: '1999-12-31T23:59:59.000Z',
  credits_balance: number,
  balance: number,
  cost: number,
  credits_used: number,
  token_version: number,
  email_verified: true,
  is_active: false,
  status: 'delivered',
  status_detail: 'delivered',
  provider_message_id: '99999999-9999-7999-8999-999999999999',
  key: '99999999-9999-7999-8999-999999999999',
  secret: '99999999-9999-7999-8999-999999999999',
};
const traces = ['99999999-9999', String(number), '1999-12-31'];

describe('every body', () => {
  const app = useApi();
  let account: Account;
  let resourceIds: Record<string, string>;
  before(async () => {
    account = await app.account({ balance: 1_000_000_000 });
    resourceIds = await makeResources(app, account);
  });
  // Wrong passwords and codes of the samples would have to wait for each other.
  beforeEach(() => rows(app.deps.db, 'DELETE FROM login_tries'));

  const send = (item: Endpoint, body: unknown) =>
    app.call(item.method.toUpperCase(), pathWith(item, resourceIds[listOf(item)] ?? ''), { ...credentialFor(item, account), body });
  const assertDocumented = (item: Endpoint, { status }: { status: number }, what: string) =>
    assert.ok(documented(item).includes(status), `${what}: ${status}`);

  for (const item of writing) {
    it(`${item.id} ignores read-only fields`, async () => {
      const own = new Set(bodyFields(item).map(({ path }) => path[0]));
      const body = { ...Object.fromEntries(Object.entries(foreign).filter(([name]) => !own.has(name))), ...goodBody(item) };
      const plain = await send(item, goodBody(item));
      const answer = await send(item, body);
      assert.equal(answer.status, plain.status);
      for (const trace of traces) assert.ok(!JSON.stringify(answer.body).includes(trace), trace);
    });
  }

  it('read-only fields of requests are stored in no table', async () => {
    const { db } = app.deps;
    const tables = await rows<{ name: string }>(db, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`);
    for (const { name } of tables) {
      const found = await rows<{ row: string }>(db, `SELECT row_to_json(t)::text AS row FROM "${name}" t`);
      for (const { row } of found) for (const trace of traces) assert.ok(!row.includes(trace), `${name}: ${row}`);
    }
    const [odd] = await rows<{ verified: number; inactive: number; delivered: number }>(
      db,
      `SELECT (SELECT count(*)::int FROM workspaces WHERE email_verified) AS verified,
        (SELECT count(*)::int FROM api_keys WHERE NOT is_active) AS inactive,
        (SELECT count(*)::int FROM messages WHERE status = 'delivered') AS delivered`,
    );
    assert.deepEqual(odd, { verified: 0, inactive: 0, delivered: 0 });
  });

  const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);
  for (const item of writing) {
    it(`${item.id}: no 500 for hostile JSON`, async () => {
      const text = JSON.stringify(goodBody(item)).slice(0, -1);
      const join = text === '{' ? '' : ',';
      const traps = {
        'a deep array in an unknown field': `${text}${join}"unknown":${deep('[', ']', 20_000)}}`,
        'a deep object in an unknown field': `${text}${join}"unknown":${deep('{"a":', '}', 5000).replace('}', '1}')}}`,
        'a deep array alone': deep('[', ']', 40_000),
        __proto__: `${text}${join}"__proto__":{"is_active":false,"polluted":1}}`,
        'a nested __proto__': `${text}${join}"metadata":{"__proto__":{"polluted":1}},"custom_fields":{"__proto__":{"polluted":1}}}`,
        constructor: `${text}${join}"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":1}`,
        infinity: `${text}${join}"unknown":1e400,"rate":1e400}`,
        'a duplicate key': `${text}${join}"unknown":1,"unknown":2}`,
        'a trailing comma': `${text},}`,
        'a comment': `${text}/**/}`,
        'a byte order mark': `\ufeff${text}}`,
        'not a number': `${text}${join}"unknown":NaN}`,
      };
      for (const [what, trap] of Object.entries(traps)) assertDocumented(item, await send(item, trap), what);
      assert.equal(({} as { polluted?: number }).polluted, undefined);
    });
    it(`${item.id}: 400 for values of a wrong type`, async () => {
      for (const { path, schema } of bodyFields(item)) {
        const kinds = [schema.type].flat();
        for (const value of [[], [[]], [null], ['x'], {}, { $ne: null, length: 5 }, true, 0, -1, 1e21, 'x', null]) {
          const answer = await send(item, placed(goodBody(item, '', path), path, value));
          const what = `${path.join('.')} ${JSON.stringify(value)}`;
          assertDocumented(item, answer, what);
          if (!kinds.includes('string') || kinds.length > 1 || schema.enum !== undefined || isPreviewed(item, path)) continue;
          if (typeof value === 'object' && value !== null) assert.equal(answer.status, 400, what);
        }
      }
    });
  }

  it('201 with the last of two equal keys of a body', async () => {
    const [item] = writing.filter(({ id }) => id === 'sendMessage');
    assert.ok(item);
    const { status, body } = await send(
      item,
      '{"to":"+15551111111","to":"+15552222222","channel":"sms","content":{"text":"a"},"content":{"text":"b"}}',
    );
    const { to, content } = body.data.message;
    assert.deepEqual([status, to, content.text], [201, '+15552222222', 'b']);
  });
});
