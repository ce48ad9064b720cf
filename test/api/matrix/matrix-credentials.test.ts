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
import { pathWith } from './matrix-cases.js';
import { startApp, type TestApp } from '../start-app.js';

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

describe('every operation against every credential', () => {
  let app: TestApp;
  const kinds = new Map<string, (auth: Auth) => Presented>();
  const add = (name: string, make: (auth: Auth) => Presented) => kinds.set(name, make);

  before(async () => {
    app = await startApp();
    const { workspaceId, jwt: token, key } = await app.account();
    const gone = await app.account({ balance: 0 });
    await ApiKey.destroy({ where: { workspace_id: gone.workspaceId } });
    await Workspace.destroy({ where: { id: gone.workspaceId } });
    const off = await app.account();
    await ApiKey.update({ is_active: false }, { where: { workspace_id: off.workspaceId } });
    const lacking = new Map<string, string>();
    for (const scope of scopes) lacking.set(scope, (await app.account({ scopes: scopes.filter((name) => name !== scope) })).key);
    const { jwtSecret } = app.deps.config;
    const claims = { typ: 'access', tv: 0, sub: workspaceId, iss: 'tidings', aud: 'tidings-api' };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg: 'none', typ: 'JWT' })}.${part({ ...claims, exp: 4_000_000_000 })}.`;

    add('none', () => ({ headers: {} }));
    add('an empty token', () => ({ headers: { Authorization: 'Bearer ' }, token: 'bad' }));
    add('an empty key', () => ({ headers: apiKey('') }));
    add('garbage for a token', () => ({ headers: bearer('garbage'), token: 'bad' }));
    add('garbage for a key', () => ({ headers: apiKey('tidings_garbage'), key: 'bad' }));
    add('a wrong scheme', () => ({ headers: { Authorization: `Basic ${token}` }, token: 'bad' }));
    add('an expired token', () => ({ headers: bearer(jwt.sign(claims, jwtSecret, { expiresIn: -1 })), token: 'expired' }));
    add('an unsigned token', () => ({ headers: bearer(unsigned), token: 'bad' }));
    add('a token of another secret', () => ({
      headers: bearer(issueToken('x'.repeat(40), { id: workspaceId, token_version: 0 })),
      token: 'bad',
    }));
    add('a token of an old version', () => ({
      headers: bearer(issueToken(jwtSecret, { id: workspaceId, token_version: 7 })),
      token: 'bad',
    }));
    add('a token of a deleted workspace', () => ({ headers: bearer(gone.jwt), token: 'bad' }));
    add('a key of a deleted workspace', () => ({ headers: apiKey(gone.key), key: 'bad' }));
    add('a token as key', () => ({ headers: apiKey(token), key: 'bad' }));
    add('a key as token', () => ({ headers: bearer(key), token: 'bad' }));
    add('a deactivated key', () => ({ headers: apiKey(off.key), key: 'deactivated' }));
    add('a key without the scope', (auth) => ({
      headers: apiKey(typeof auth === 'object' && auth.scope !== null ? (lacking.get(auth.scope) ?? '') : key),
      key: 'unscoped',
    }));
    add('a bad token and a good key', () => ({ headers: { ...bearer('x'), ...apiKey(key) }, token: 'bad', key: 'good' }));
    add('a good token and a bad key', () => ({ headers: { ...bearer(token), ...apiKey('x') }, token: 'good', key: 'bad' }));
    add('two good ones', () => ({ headers: { ...bearer(token), ...apiKey(key) }, token: 'good', key: 'good' }));
    assert.equal(kinds.size, 19);
  });
  after(() => app.close());

  for (const item of endpoints) {
    it(`${item.id}: ${item.auth === 'none' || item.auth === 'provider' ? 'credentials change nothing' : 'each kind is judged by the rule'}`, async () => {
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
