import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';
import { randomUUID } from 'node:crypto';
import { inTransaction, select } from '../../../models/db/database.js';
import { rows } from '../../support/database.js';
import type { EventStream } from '../../support/network/event-stream.js';
import { kidOf } from '../kid-of.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';
import { path, received, send, untilOver, useStreams } from './watch.js';

describe('the end of a stream', () => {
  const app = useApi();
  const watch = useStreams(app);
  let account: Account;
  let byKey: EventStream;
  let byJwt: EventStream;
  beforeEach(async () => {
    account = await app.account();
    byKey = await watch(account);
    byJwt = await watch({ key: '' }, undefined, { Authorization: `Bearer ${account.jwt}` });
  });
  const refusal = async () => (await app.call('GET', path, { key: account.key })).status;
  /** The stream is still served: it shows what is sent now. */
  const assertServed = async (stream: EventStream, key: string) => {
    const before = stream.events.length;
    await send(app, { key });
    await received(stream, before + 1);
  };

  it('a stream ends when its key is revoked, and streams of the JWT continue', async () => {
    const { body } = await app.call('GET', '/api/v1/api-keys', { jwt: account.jwt });
    const other = await app.call('POST', '/api/v1/api-keys', { jwt: account.jwt, body: { name: 'other' } });
    await app.call('DELETE', `/api/v1/api-keys/${body.data.api_keys[0].id}`, { jwt: account.jwt });
    await untilOver(byKey, 'a revoked key');
    assert.equal(await refusal(), 401);
    await assertServed(byJwt, other.body.data.key);
  });

  it('a stream ends when its key expires', async () => {
    await rows(app.deps.db, 'UPDATE api_keys SET expires_at = now() WHERE workspace_id = $1', [account.workspaceId]);
    await untilOver(byKey, 'an expired key');
  });

  it('a stream ends when its JWT logs out, and streams of the key continue', async () => {
    await app.call('POST', '/api/v1/auth/logout', { jwt: account.jwt });
    await untilOver(byJwt, 'a JWT that was logged out');
    await assertServed(byKey, account.key);
  });

  it('a stream of a JWT ends when all sessions end', async () => {
    await app.call('POST', '/api/v1/auth/logout-all', { jwt: account.jwt });
    await untilOver(byJwt, 'a JWT of all');
  });

  it('a stream ends when its JWT expires, and streams of other JWTs continue', async () => {
    const { iss, aud, typ, tv } = jwt.decode(account.jwt) as jwt.JwtPayload;
    const claims = { iss, aud, typ, tv, sub: account.workspaceId, jti: randomUUID() };
    const short = jwt.sign(claims, app.deps.config.jwtSecret, { expiresIn: 5, keyid: kidOf(account.jwt) });
    const stream = await watch({ key: '' }, undefined, { Authorization: `Bearer ${short}` });
    assert.equal(stream.status, 200);
    await untilOver(stream, 'an expired JWT');
    await assertServed(byJwt, account.key);
  });

  it('all streams end when their workspace is suspended, and new ones are refused with 403', async () => {
    await rows(app.deps.db, `INSERT INTO suspensions (workspace_id, reason) VALUES ($1, 'test')`, [account.workspaceId]);
    await untilOver(byKey, 'a suspended workspace');
    await untilOver(byJwt, 'a suspended workspace');
    assert.equal(await refusal(), 403);
  });

  it('all streams end when their workspace is closed', async () => {
    await rows(app.deps.db, 'UPDATE workspaces SET closed_at = now() WHERE id = $1', [account.workspaceId]);
    await untilOver(byKey, 'a closed workspace');
    await untilOver(byJwt, 'a closed workspace');
  });

  it('a stream ends with its process, which says when to connect again', async () => {
    const before = byKey.retryMs;
    await app.deps.streams.close();
    await untilOver(byKey, 'a process that ends');
    assert.notEqual(byKey.retryMs, before);
    assert.deepEqual(await rows(app.deps.db, 'SELECT 1 FROM open_streams WHERE workspace_id = $1', [account.workspaceId]), []);
  });
});

describe('the end of a process whose database does not answer', () => {
  const app = useApi();
  const watch = useStreams(app);

  it('a process ends its streams within 4 seconds although their rows cannot be deleted', async () => {
    const stream = await watch(await app.account());
    await inTransaction(app.deps.db, async (transaction) => {
      await select(app.deps.db, 'LOCK TABLE open_streams IN ACCESS EXCLUSIVE MODE', [], transaction);
      const begun = performance.now();
      await app.deps.streams.close();
      const took = performance.now() - begun;
      assert.ok(took < 4_800, `${took} ms`); // it waits 2 s for the rows, and a statement 5 s for a lock
    });
    await untilOver(stream, 'a process that ends');
  });
});
