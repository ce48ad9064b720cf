/** Tokens of mails while somebody else changes the workspace and its tokens. */
import assert from 'node:assert/strict';
import { select } from '../../../models/db/database.js';
import { untilLockWait } from '../../support/lock-table.js';
import type { Answer } from '../start-app.js';
import { useApi } from '../use-api.js';
import { type Owner, owner } from './owner.js';

describe('a token of a mail', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  let me: Owner;
  beforeEach(async () => {
    me = await owner(app, { verified: false });
  });

  const use = (path: string, body: object) => app.call('POST', `/api/v1/auth/${path}`, { body });
  const reset = async (password = 'another horse') => use('reset-password', { token: await me.token('reset_password'), password });
  const verify = async () => use('verify-email', { token: await me.token('verify_email') });

  /** The locks of somebody who voids tokens: the workspace, and then, while the other request waits for it, its tokens. */
  async function whileVoiding(request: () => Promise<Answer>, sql = 'SELECT 1'): Promise<Answer> {
    const { db } = app.deps;
    const transaction = await db.transaction();
    await select(db, 'SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [me.workspaceId], transaction);
    const answer = request();
    try {
      await untilLockWait(db, 'the request waits for the workspace');
      await select(db, 'SELECT 1 FROM mail_tokens WHERE workspace_id = $1 FOR UPDATE NOWAIT', [me.workspaceId], transaction);
      await select(db, sql, [], transaction);
      await transaction.commit();
    } catch (error) {
      await transaction.rollback();
      await answer;
      throw error;
    }
    return answer;
  }

  it('200 for a password reset while somebody has locked the workspace and asks for its tokens', async () => {
    await use('forgot-password', { email: me.email });
    assert.equal((await whileVoiding(reset)).status, 200);
    assert.equal((await me.logIn('another horse')).status, 200);
  });
  it('200 for a verification while somebody has locked the workspace and asks for its tokens', async () => {
    assert.equal((await whileVoiding(verify)).status, 200);
  });
  it('400 for a token of a mail that is voided while its request waits', async () => {
    await use('forgot-password', { email: me.email });
    const voidAll = 'UPDATE mail_tokens SET used_at = now() WHERE used_at IS NULL';
    const { status, body } = await whileVoiding(reset, voidAll);
    assert.deepEqual([status, body.error], [400, 'Invalid or expired token']);
    assert.equal((await me.logIn()).status, 200);
  });
  it('a password reset beside another request for a mail is 200 or 400, and the new password logs in exactly if it was 200', async () => {
    for (let time = 1; time <= 5; time += 1) {
      const secret = `another horse ${time}`;
      await use('forgot-password', { email: me.email });
      const [{ status }, other] = await Promise.all([reset(secret), use('forgot-password', { email: me.email })]);
      assert.deepEqual([[200, 400].includes(status), other.status], [true, 200]);
      assert.equal((await me.logIn(secret)).status, status === 200 ? 200 : 401);
    }
  });
});
