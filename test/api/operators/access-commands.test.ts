import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { runAdmin } from '../../support/run-admin.js';
import { type Owner, owner } from '../accounts/owner.js';
import { enrol } from '../accounts/second-factor.js';
import { useApi } from '../use-api.js';

describe("the operator's commands against a thief of a password", () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  let me: Owner;
  beforeEach(async () => {
    me = await owner(app);
  });

  const admin = async (...args: string[]) => {
    const { code, out } = await runAdmin(app.deps, ...args, '--json');
    return [code, out === '' ? null : JSON.parse(out)];
  };
  const audited = (type: string) =>
    rows(app.deps.db, 'SELECT actor_type, actor_name, changes FROM audit_events WHERE workspace_id = $1 AND type = $2', [
      me.workspaceId,
      type,
    ]);

  it('totp remove ends a second factor, mails its owner, and writes an audit event with the reason', async () => {
    await enrol(me);
    assert.equal((await me.logIn()).body.code, 'code_required');
    assert.deepEqual(await admin('totp', 'remove', me.email), [2, { error: 'Usage: totp remove <workspace> --reason TEXT' }]);
    const removed = { workspace_id: me.workspaceId, totp: false };
    assert.deepEqual(await admin('totp', 'remove', me.email, '--reason', 'ticket 7'), [0, { ...removed, changed: true }]);
    assert.deepEqual(await admin('totp', 'remove', me.email, '--reason', 'ticket 7'), [0, { ...removed, changed: false }]);
    assert.equal((await me.logIn()).status, 200);
    assert.deepEqual((await me.mails()).slice(-1), ['totp_disabled']);
    const event = { actor_type: 'system', actor_name: 'operator', changes: { reason: 'ticket 7' } };
    assert.deepEqual(await audited('auth.totp_disabled'), [event]);
  });

  it('the operator ends all sessions of a workspace and keeps its keys, and an audit event has the reason', async () => {
    const { key } = (await me.call('POST', '/api-keys', { name: 'x' })).body.data;
    const ended = { workspace_id: me.workspaceId, sessions_ended: true };
    assert.deepEqual(await admin('workspace', 'end-sessions', me.workspaceId, '--reason', 'stolen'), [0, ended]);
    assert.equal((await me.call('GET', '/api-keys')).status, 401);
    assert.equal((await app.call('GET', '/api/v1/balance', { key })).status, 200);
    const event = { actor_type: 'system', actor_name: 'operator', changes: { all: true, reason: 'stolen' } };
    assert.deepEqual(await audited('auth.logout'), [event]);
  });
});
