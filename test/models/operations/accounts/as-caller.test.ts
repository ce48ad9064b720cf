import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { asCaller } from '../../../../models/operations/accounts/as-caller.js';
import { endOpenSession, endSession } from '../../../../models/operations/accounts/end-sessions.js';
import { recordAuditEvent } from '../../../../models/operations/audit/record-audit-event.js';
import type { Transaction } from '../../../../models/db/database.js';
import type { RequestCredential } from '../../../../models/rules/audit/origin.js';
import { ApiKey } from '../../../../models/tables/api-key.js';
import { byTest } from '../../../support/by-test.js';
import { testEnv } from '../../../support/config.js';
import { freshDatabase, rows, type TestDatabase } from '../../../support/database.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { buildSession, buildWorkspace } from '../../../support/rows/factories.js';

describe('asCaller', () => {
  let test: TestDatabase;
  let workspaceId: string;
  before(async () => {
    test = await freshDatabase();
  });
  beforeEach(async () => {
    ({ id: workspaceId } = await buildWorkspace(test.db));
  });
  after(() => test.drop());

  const session = (id = uuidv7()): RequestCredential => ({ keyId: null, token: { id, version: 0 } });
  const run = (credential: RequestCredential, work = async () => 'done') => asCaller(test.db, workspaceId, { ...byTest, credential }, work);
  const ended = { code: 'unauthorized', message: 'Invalid or expired token' };
  const keyOf = async () =>
    (await ApiKey.issue(testEnv().SECRET_KEY as string, { workspace_id: workspaceId, name: 'x', scopes: ['manage_webhooks'] })).row;

  /** Ends something in a transaction that is committed once `run` waits for it. */
  async function during(end: (transaction: Transaction) => Promise<unknown>, credential: RequestCredential): Promise<string> {
    const ending = await test.db.transaction();
    await test.db.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', { bind: [workspaceId], transaction: ending });
    await end(ending);
    const running = run(credential);
    running.catch(() => undefined);
    await untilLockWait(test.db, 'it waits for the lock');
    await ending.commit();
    return running;
  }
  const query = (sql: string, bind: unknown[]) => (transaction: Transaction) => test.db.query(sql, { bind, transaction });

  it('a change is refused if its session ends while it waits for the lock', async () => {
    await assert.rejects(during(query('UPDATE workspaces SET token_version = 1 WHERE id = $1', [workspaceId]), session()), ended);
  });
  it('a change is refused if its JWT is revoked while it waits for the lock', async () => {
    const id = uuidv7();
    const revoke = query('INSERT INTO revoked_tokens (id, workspace_id, expires_at) VALUES ($1, $2, now())', [id, workspaceId]);
    await assert.rejects(during(revoke, session(id)), ended);
    assert.equal(await run(session(uuidv7())), 'done');
  });
  it('a change is refused if its key is revoked while it waits for the lock', async () => {
    const { id } = await keyOf();
    const revoke = query('UPDATE api_keys SET is_active = false WHERE id = $1', [id]);
    await assert.rejects(during(revoke, { keyId: id, token: null }), { code: 'unauthorized', message: 'API key has been deactivated' });
  });
  it('a change is refused with an expired key, and with any credential in a closed workspace', async () => {
    const { id } = await keyOf();
    assert.equal(await run({ keyId: id, token: null }), 'done');
    await rows(test.db, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [id]);
    await assert.rejects(run({ keyId: id, token: null }), { message: 'Invalid API key' });
    await rows(test.db, 'UPDATE api_keys SET expires_at = NULL WHERE id = $1', [id]);
    await rows(test.db, 'UPDATE workspaces SET closed_at = now() WHERE id = $1', [workspaceId]);
    await assert.rejects(run({ keyId: id, token: null }), { message: 'Invalid API key' });
    await assert.rejects(run(session()), ended);
  });
  it('a logout waits until a change of its session has ended', async () => {
    const id = uuidv7();
    let loggedOut: Promise<void> | undefined;
    await run(session(id), async () => {
      loggedOut = endSession(test.db, workspaceId, { id, expiresAt: new Date(Date.now() + 60_000) }, byTest);
      await untilLockWait(test.db, 'the logout waits for the lock');
      return 'done';
    });
    await loggedOut;
    await assert.rejects(run(session(id)), ended);
  });
  it('a session that has ended cannot end another one', async () => {
    const own = await buildSession(workspaceId);
    const other = await buildSession(workspaceId);
    const origin = { ...byTest, credential: session(own.id) };
    await endOpenSession(test.db, own, origin);
    await assert.rejects(endOpenSession(test.db, other, origin), ended);
    assert.equal((await rows(test.db, 'SELECT 1 FROM sessions WHERE id = $1', [other.id])).length, 1);
  });
  it('the audit event of a caller is only written within asCaller', async () => {
    const event = { workspaceId, type: 'webhook.created', target: { type: 'webhook', id: uuidv7(), name: null } } as const;
    const origin = { ...byTest, credential: session() };
    await assert.rejects(
      test.db.transaction((transaction) => recordAuditEvent(test.db, transaction, origin, event)),
      /webhook\.created is not written in asCaller/,
    );
    await asCaller(test.db, workspaceId, origin, (transaction) => recordAuditEvent(test.db, transaction, origin, event));
  });
});
