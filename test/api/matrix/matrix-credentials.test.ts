/** Every operation against every kind of wrong credential; what is expected follows from the declaration by rule. */
import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';
import { v7 as uuidv7 } from 'uuid';
import { issueToken } from '../../../api/auth/tokens.js';
import type { Auth } from '../../../api/http/endpoint.js';
import { endpoints } from '../../../api/endpoints/index.js';
import { ApiKey } from '../../../models/tables/api-key.js';
import { scopes } from '../../../models/rules/accounts/api-key.js';
import { Workspace } from '../../../models/tables/workspace.js';
import { kidOf } from '../kid-of.js';
import { pathWith } from './matrix-cases.js';
import type { Account, TestApp } from '../start-app.js';
import { useApi } from '../use-api.js';

type Token = 'good' | 'bad' | 'expired';
type Key = 'good' | 'bad' | 'deactivated' | 'unscoped';
/** What a request carries, and what each part of it is worth; an empty key is none. */
interface Presented {
  headers: Record<string, string>;
  token?: Token;
  key?: Key;
}
type Verdict = [status: number, error: string, code: string];

const tokenVerdicts: Record<Token, Verdict | null> = {
  good: null,
  bad: [401, 'Invalid or expired token', 'unauthorized'],
  expired: [401, 'Invalid or expired token', 'token_expired'],
};

const keyVerdicts: Record<Exclude<Key, 'unscoped'>, Verdict | null> = {
  good: null,
  bad: [401, 'Invalid API key', 'unauthorized'],
  deactivated: [401, 'API key has been deactivated', 'unauthorized'],
};

function verdict(auth: Auth, { token, key }: Presented): Verdict | null {
  if (auth === 'none' || auth === 'provider') return null;
  if (auth === 'jwt' || (auth.jwtToo && (token !== undefined || key === undefined))) return tokenVerdicts[token ?? 'bad'];
  if (key === undefined) return [401, 'Missing X-API-Key header', 'unauthorized'];
  if (key === 'unscoped' && auth.scope === null) return null;
  return key === 'unscoped' ? [403, `API key does not have required scope: ${auth.scope}`, 'forbidden'] : keyVerdicts[key];
}

const endsSessions: ReadonlySet<string> = new Set(['logOut', 'logOutAll', 'deleteConsoleSession']);

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const apiKey = (key: string) => ({ 'X-API-Key': key });

/** What the credentials are made of. */
interface Held {
  jwtSecret: string;
  workspaceId: string;
  token: string;
  key: string;
  /** Of a workspace that was deleted. */
  gone: Account;
  deactivatedKey: string;
  /** By scope, a key with all others. */
  keysWithout: Map<string, string>;
}

async function hold(app: TestApp): Promise<Held> {
  const { workspaceId, jwt: token, key } = await app.account();
  const gone = await app.account({ balance: 0 });
  await ApiKey.destroy({ where: { workspace_id: gone.workspaceId } });
  await Workspace.destroy({ where: { id: gone.workspaceId } });
  const off = await app.account();
  await ApiKey.update({ is_active: false }, { where: { workspace_id: off.workspaceId } });
  const keysWithout = new Map<string, string>();
  for (const scope of scopes) keysWithout.set(scope, (await app.account({ scopes: scopes.filter((name) => name !== scope) })).key);
  return { jwtSecret: app.deps.config.jwtSecret, workspaceId, token, key, gone, deactivatedKey: off.key, keysWithout };
}

function wrongTokens({ jwtSecret, workspaceId, token, gone, key }: Held): [name: string, token: string, is: Token][] {
  const claims = { typ: 'access', tv: 0, sub: workspaceId, jti: uuidv7(), iss: 'tidings', aud: 'tidings-api' };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [
    ['an empty token', '', 'bad'],
    ['garbage for a token', 'garbage', 'bad'],
    ['an expired token', jwt.sign(claims, jwtSecret, { expiresIn: -1, keyid: kidOf(token) }), 'expired'],
    ['an unsigned token', `${part({ alg: 'none', typ: 'JWT', kid: kidOf(token) })}.${part({ ...claims, exp: 4_000_000_000 })}.`, 'bad'],
    ['a token whose claims are not JSON', `${part({ alg: 'HS256', typ: 'JWT', kid: kidOf(token) })}.Z2FyYmFnZQ.x`, 'bad'],
    ['a token of another secret', issueToken('x'.repeat(40), { id: workspaceId, token_version: 0 }, 'access').token, 'bad'],
    ['a token of an old version', issueToken(jwtSecret, { id: workspaceId, token_version: 7 }, 'access').token, 'bad'],
    ['a token of a deleted workspace', gone.jwt, 'bad'],
    ['a key as token', key, 'bad'],
  ];
}

const wrongKeys = ({ token, gone, deactivatedKey }: Held): [name: string, key: string, is: Key][] => [
  ['garbage for a key', 'tidings_garbage', 'bad'],
  ['a key of a deleted workspace', gone.key, 'bad'],
  ['a token as key', token, 'bad'],
  ['a deactivated key', deactivatedKey, 'deactivated'],
];

type Kinds = Map<string, (auth: Auth) => Presented>;

function kindsOf(held: Held): Kinds {
  const { token, key, keysWithout } = held;
  const kinds: Kinds = new Map();
  kinds.set('none', () => ({ headers: {} }));
  kinds.set('an empty key', () => ({ headers: apiKey('') }));
  for (const [name, value, is] of wrongTokens(held)) kinds.set(name, () => ({ headers: bearer(value), token: is }));
  for (const [name, value, is] of wrongKeys(held)) kinds.set(name, () => ({ headers: apiKey(value), key: is }));
  kinds.set('a wrong scheme', () => ({ headers: { Authorization: `Basic ${token}` }, token: 'bad' }));
  kinds.set('a wrong scheme and a good key', () => ({ headers: { Authorization: 'Basic eDp5', ...apiKey(key) }, key: 'good' }));
  kinds.set('a wrong scheme and a bad key', () => ({ headers: { Authorization: 'Basic eDp5', ...apiKey('x') }, key: 'bad' }));
  kinds.set('a scheme without a token and a good key', () => ({
    headers: { Authorization: 'Bearer', ...apiKey(key) },
    token: 'bad',
    key: 'good',
  }));
  kinds.set('a key without the scope', (auth) => ({
    headers: apiKey(typeof auth === 'object' && auth.scope !== null ? (keysWithout.get(auth.scope) ?? '') : key),
    key: 'unscoped',
  }));
  kinds.set('a bad token and a good key', () => ({ headers: { ...bearer('x'), ...apiKey(key) }, token: 'bad', key: 'good' }));
  kinds.set('a good token and a bad key', () => ({ headers: { ...bearer(token), ...apiKey('x') }, token: 'good', key: 'bad' }));
  kinds.set('two good ones', () => ({ headers: { ...bearer(token), ...apiKey(key) }, token: 'good', key: 'good' }));
  return kinds;
}

describe('every operation against every credential', () => {
  const app = useApi();
  let kinds: Kinds;
  before(async () => {
    kinds = kindsOf(await hold(app));
    assert.equal(kinds.size, 23);
  });

  for (const item of endpoints) {
    it(`${item.id}: ${item.auth === 'none' || item.auth === 'provider' ? 'credentials change nothing' : 'each kind of credential passes or is refused by the rule'}`, async () => {
      const request = item.body === undefined ? {} : { body: {} };
      const path = pathWith(item, uuidv7());
      const bare = await app.call(item.method.toUpperCase(), path, request);
      for (const [name, make] of kinds) {
        const presented = make(item.auth);
        // Good credentials are for the operations after this one, too.
        if (endsSessions.has(item.id) && verdict(item.auth, presented) === null) continue;
        const { status, body } = await app.call(item.method.toUpperCase(), path, { ...request, headers: presented.headers });
        const wanted = verdict(item.auth, presented);
        if (wanted !== null) assert.deepEqual([status, body.error, body.code], wanted, name);
        else if (typeof item.auth === 'string' && item.auth !== 'jwt') assert.equal(status, bare.status, name);
        else assert.ok(![401, 403].includes(status) && status < 500, `${name}: ${status}`);
      }
    });
  }
});
