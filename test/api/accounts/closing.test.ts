import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { closingWorkspaces, settleClosed } from '../../../models/operations/accounts/settle-closed.js';
import { loadMail } from '../../../models/operations/mails/load-mail.js';
import { rows } from '../../support/database.js';
import { buildQueued } from '../../support/rows/factories.js';
import { useApi } from '../use-api.js';
import { type Owner, owner, password } from './owner.js';
import { enrol } from './second-factor.js';

describe('DELETE /api/v1/auth/workspace', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', SIGNUP_CREDITS: '100' }, checksBooks: true });
  let me: Owner;
  beforeEach(async () => {
    me = await owner(app);
  });

  const close = (current_password = password) => me.call('DELETE', '/auth/workspace', { current_password });
  const statuses = async () =>
    (
      await rows<{ status: string }>(
        app.deps.db,
        `SELECT status || ' ' || status_detail || ' ' || credits_used AS status FROM messages WHERE workspace_id = $1 ORDER BY id`,
        [me.workspaceId],
      )
    ).map(({ status }) => status);
  const settle = (step?: number) => settleClosed(app.deps.db, me.workspaceId, Date.now() + 10_000, step);
  const age = () => rows(app.deps.db, `UPDATE workspaces SET closed_at = closed_at - interval '2 minutes' WHERE id = $1`, [me.workspaceId]);

  it('200 for the end of an account: keys, JWTs and webhooks end, the address is free, the owner gets a mail', async () => {
    const { key } = (await me.call('POST', '/api-keys', { name: 'x' })).body.data;
    const hook = { url: 'https://8.8.8.8/', events: ['message.sent'] };
    await me.call('POST', '/webhooks', hook);
    const { status, body } = await close();
    assert.deepEqual([status, Object.keys(body.data)], [200, ['message']]);
    assert.equal((await app.call('GET', '/api/v1/messages', { key })).status, 401);
    assert.equal((await me.call('GET', '/api-keys')).status, 401);
    assert.equal((await me.logIn()).status, 401);
    const [hooks] = await rows<{ n: number }>(
      app.deps.db,
      'SELECT count(*) AS n FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL',
      [me.workspaceId],
    );
    assert.equal(hooks?.n, 0);
    const [mail] = await rows<{ id: string; recipient: string }>(
      app.deps.db,
      `SELECT id, recipient FROM mails WHERE workspace_id = $1 AND kind = 'workspace_closed'`,
      [me.workspaceId],
    );
    assert.equal(mail?.recipient, me.email);
    assert.equal((await loadMail(app.deps.db, mail?.id ?? ''))?.name, '', 'the mail greets nobody as "Closed workspace"');
    const again = await app.call('POST', '/api/v1/auth/signup', { body: { email: me.email, password, company_name: 'Acme' } });
    assert.equal(again.status, 201);
    const { body: forgot } = await app.call('POST', '/api/v1/auth/login', { body: { email: me.email, password } });
    assert.notEqual(forgot.data.workspace.id, me.workspaceId);
  });
  it('200 for the end of an account, also if somebody has signed up with an address made of its id', async () => {
    const squatted = `closed+${me.workspaceId}@tidings.invalid`;
    const other = await app.call('POST', '/api/v1/auth/signup', { body: { email: squatted, password, company_name: 'Acme' } });
    assert.equal(other.status, 201);
    assert.equal((await close()).status, 200);
  });
  it('the end of an account records that its second factor ended, without the name of the owner', async () => {
    await enrol(me);
    await close();
    const told = await rows(
      app.deps.db,
      `SELECT actor_id, actor_name FROM audit_events WHERE workspace_id = $1 AND type = 'auth.totp_disabled'`,
      [me.workspaceId],
    );
    assert.deepEqual(told, [{ actor_id: me.workspaceId, actor_name: null }]);
  });
  it('a closed account keeps its ledger without personal data', async () => {
    await close();
    const [kept] = await rows<{ n: number; row: string }>(
      app.deps.db,
      `SELECT (SELECT count(*) FROM credit_entries WHERE workspace_id = $1) AS n, (SELECT row_to_json(w)::text FROM workspaces w WHERE id = $1) AS row`,
      [me.workspaceId],
    );
    assert.equal(kept?.n, 1);
    assert.doesNotMatch(kept?.row ?? '', /owner\d|Acme/);
  });
  it('401 for the end of an account with a wrong password, and the workspace stays open', async () => {
    assert.equal((await close('wrong horse')).status, 401);
    assert.equal((await me.logIn()).status, 200);
  });
  it('200 for one of two requests at once to end an account, and 401 for the other as with any ended JWT', async () => {
    const answers = await Promise.all([close(), close()]);
    assert.deepEqual(new Set(answers.map(({ status, body }) => body.error ?? status)), new Set([200, 'Invalid or expired token']));
    const told = await rows(app.deps.db, `SELECT 1 AS one FROM audit_events WHERE workspace_id = $1 AND type = 'workspace.closed'`, [
      me.workspaceId,
    ]);
    assert.equal(told.length, 1);
  });
  it('the end of an account cancels and refunds waiting messages, and waits for hand-offs in progress', async () => {
    const messages = [];
    for (let number = 1; number <= 7; number += 1) messages.push(await buildQueued(app.deps.db, me.workspaceId));
    const [sending, sent] = messages;
    await rows(app.deps.db, `UPDATE messages SET status_detail = 'sending' WHERE id = $1`, [sending?.id]);
    await rows(
      app.deps.db,
      `UPDATE messages SET status = 'sent', status_detail = 'awaiting_report', sent_at = now(), provider = 'sandbox',
         provider_message_id = $2 WHERE id = $1`,
      [sent?.id, uuidv7()],
    );
    await close();
    assert.ok((await closingWorkspaces(app.deps.db, 10)).includes(me.workspaceId));
    assert.equal(await settle(2), false);
    await age();
    assert.equal(await settle(2), false);
    const cancelled = Array.from({ length: 5 }, () => 'failed cancelled 0');
    assert.deepEqual(await statuses(), ['queued sending 1000', 'sent awaiting_report 1000', ...cancelled]);
    await rows(app.deps.db, `UPDATE messages SET status_detail = 'accepted' WHERE id = $1`, [sending?.id]);
    assert.deepEqual([await settle(2), await settle(2)], [true, false]);
    assert.deepEqual(await statuses(), ['failed cancelled 0', 'sent awaiting_report 1000', ...cancelled]);
    assert.ok(!(await closingWorkspaces(app.deps.db, 10)).includes(me.workspaceId));
    const [{ balance } = { balance: 0 }] = await rows<{ balance: number }>(app.deps.db, 'SELECT balance FROM workspaces WHERE id = $1', [
      me.workspaceId,
    ]);
    assert.equal(balance, 99_000);
  });
  it('the end of an account cancels its batches', async () => {
    const { key } = (await me.call('POST', '/api-keys', { name: 'x' })).body.data;
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: ['+15551234567', '+15551234568'] };
    const { body } = await app.call('POST', '/api/v1/messages/bulk', { key, body: bulk });
    assert.equal(body.data.batch.accepted, 2);
    await close();
    await age();
    assert.equal(await settle(), true);
    assert.deepEqual(await statuses(), ['failed cancelled 0', 'failed cancelled 0']);
  });
});
