import assert from 'node:assert/strict';
import { closeWorkspace } from '../../../models/operations/accounts/close-workspace.js';
import { erasureKey } from '../../../models/operations/erasure/erasure-key.js';
import { suppress } from '../../../models/operations/contacts/suppress.js';
import { systemOrigin } from '../../../models/rules/audit/origin.js';
import { digestOf } from '../../../models/rules/contacts/erasure.js';
import { rows } from '../../support/database.js';
import { optOut } from '../../support/rows/opt-requests.js';
import { Workspace } from '../../../models/tables/workspace.js';
import { buildQueued } from '../../support/rows/factories.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { buildQueuedGroup, buildSent, claimAll, messageOf, sandboxEverywhere } from '../../support/rows/messages.js';
import { runAdmin } from '../../support/run-admin.js';
import type { Account, TestApp } from '../start-app.js';
import { useApi, useApiStarts } from '../use-api.js';

const sms = { to: '+15551234567', channel: 'sms', content: { text: 'x' } };

describe("the operator's commands", () => {
  const app = useApi();
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });
  afterEach(() => assertBooks(app.deps.db));
  const admin = (...args: string[]) => runAdmin(app.deps, ...args);
  const send = () => app.call('POST', '/api/v1/messages/send', { key: account.key, body: sms });
  const told = async (type: string) => {
    const { body } = await app.call('GET', `/api/v1/audit-events?type=${type}`, { jwt: account.jwt });
    return body.data.audit_events.map(({ actor, changes }: { actor: object; changes: object }) => [actor, changes]);
  };

  it('403 for sends of a suspended workspace, 200 for reads, and 201 after it is resumed', async () => {
    assert.deepEqual(await admin('suspend', account.workspaceId, '--reason', 'toll fraud').then(({ code }) => code), 0);
    for (const [path, body] of [
      ['send', sms],
      ['bulk', { channel: 'sms', content: { text: 'x' }, recipients: [sms.to] }],
    ] as const) {
      const { status, body: refused } = await app.call('POST', `/api/v1/messages/${path}`, { key: account.key, body });
      assert.deepEqual([status, refused.error, refused.code], [403, 'Workspace is suspended', 'forbidden']);
    }
    assert.equal((await app.call('GET', '/api/v1/messages', { key: account.key })).status, 200);
    assert.equal((await admin('resume', account.workspaceId)).code, 0);
    assert.equal((await send()).status, 201);
    const actor = { type: 'system', id: null, name: 'operator' };
    assert.deepEqual(await told('workspace.suspended'), [[actor, { reason: 'toll fraud' }]]);
    assert.deepEqual(await told('workspace.resumed'), [[actor, {}]]);
  });

  it('a closed workspace cannot be suspended, because nothing would remove the reason', async () => {
    await admin('suspend', account.workspaceId, '--reason', 'toll fraud');
    await closeWorkspace(app.deps.db, account.workspaceId, systemOrigin('operator'));
    const { code, err } = await admin('suspend', account.workspaceId, '--reason', 'fraud by Ada');
    assert.deepEqual(
      [code, err],
      [1, `Failed: the workspace ${account.workspaceId} is closed, so it sends nothing and cannot be suspended\n`],
    );
    const stored = await rows(app.deps.db, 'SELECT reason FROM suspensions WHERE workspace_id = $1', [account.workspaceId]);
    assert.deepEqual(stored, [{ reason: 'toll fraud' }]);
    const events = 'SELECT 1 FROM audit_events WHERE workspace_id = $1 AND type = $2';
    assert.equal((await rows(app.deps.db, events, [account.workspaceId, 'workspace.suspended'])).length, 1);
  });

  it('messages that are due during a suspension fail and are refunded', async () => {
    const [due, later] = [await buildQueued(app.deps.db, account.workspaceId), await buildQueued(app.deps.db, account.workspaceId)];
    await admin('suspend', account.workspaceId, '--reason', 'x');
    assert.deepEqual(await claimAll(app.deps.db, due.group_id, sandboxEverywhere), []);
    const { status, status_detail, error_code, credits_used } = await messageOf(app.deps.db, due.id);
    assert.deepEqual([status, status_detail, error_code, credits_used], ['failed', 'rejected', 'suspended', 0]);
    await admin('resume', account.workspaceId);
    assert.equal((await claimAll(app.deps.db, later.group_id, sandboxEverywhere)).length, 1);
  });

  it('messages of a suspended workspace do not delay other workspaces', async () => {
    const other = await app.account();
    const workspaces = [other.workspaceId, account.workspaceId].map((workspace_id) => ({ workspace_id }));
    const { groupId, ids } = await buildQueuedGroup(app.deps.db, account.workspaceId, workspaces);
    await admin('suspend', other.workspaceId, '--reason', 'x');
    const claims = await claimAll(app.deps.db, groupId, sandboxEverywhere);
    assert.deepEqual(
      claims.map(({ id }) => id),
      ids.slice(1),
    );
  });

  it('unsuppress removes entries that no key may remove', async () => {
    const { id } = await buildSent(app.deps.db, account.workspaceId, { to: sms.to });
    await optOut(app.deps.db, {
      provider: 'sandbox',
      channel: 'sms',
      recipient: sms.to,
      reason: 'opt_out',
      source: 'inbound',
      message_id: id,
      provider_message_id: null,
    });
    const { body } = await app.call('GET', '/api/v1/suppressions', { key: account.key });
    const [{ id: suppressionId }] = body.data.suppressions;
    for (const credential of [{ key: account.key }, { jwt: account.jwt }]) {
      const refused = await app.call('DELETE', `/api/v1/suppressions/${suppressionId}`, credential);
      assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
    }
    assert.equal((await admin('unsuppress', account.workspaceId, 'sms', sms.to)).code, 0);
    assert.equal((await admin('unsuppress', account.workspaceId, 'sms', sms.to)).code, 1);
    assert.equal((await app.call('GET', '/api/v1/suppressions', { key: account.key })).body.data.suppressions.length, 0);
  });

  it('unsuppress finds a recipient who was erased, and one whose number is written in another way', async () => {
    const { db, config } = app.deps;
    const key = await erasureKey(db, config.secretKeys);
    const entry = { workspace_id: account.workspaceId, channel: 'whatsapp', reason: 'opt_out', source: 'inbound' } as const;
    for (const recipient of ['+5215512345678', digestOf(key, '+525512345678'), digestOf(key, '+5215512345678')]) {
      await suppress(db, [{ ...entry, recipient }]);
      assert.equal((await admin('unsuppress', account.workspaceId, 'whatsapp', '+525512345678')).code, 0);
      assert.equal((await admin('unsuppress', account.workspaceId, 'whatsapp', '+525512345678')).code, 1);
    }
  });

  it('unsuppress also removes an entry of the workspace for the same recipient', async () => {
    const { id } = await buildSent(app.deps.db, account.workspaceId, { to: sms.to });
    await app.call('POST', '/api/v1/suppressions', { key: account.key, body: { channel: 'sms', recipient: sms.to } });
    const stop = { reason: 'opt_out', source: 'inbound', message_id: id, provider_message_id: null } as const;
    await optOut(app.deps.db, { provider: 'sandbox', channel: 'sms', recipient: sms.to, ...stop });
    assert.equal((await admin('unsuppress', account.workspaceId, 'sms', sms.to)).code, 0);
    const { body } = await app.call('GET', '/api/v1/suppressions', { key: account.key });
    assert.deepEqual(body.data.suppressions, []);
  });

  it('commands exit with 2 and the usage for wrong arguments, with 1 for an unknown workspace', async () => {
    const [suspend, resume] = ['Usage: suspend <workspace> --reason TEXT', 'Usage: resume <workspace>'];
    for (const [args, usage] of [
      [['no-such'], 'Unknown command: no-such'],
      [['suspend'], suspend],
      [['suspend', account.workspaceId], suspend],
      [['resume', 'a', 'b'], resume],
      [['resume', '--force', 'a'], resume],
    ] as const) {
      const { code, err } = await admin(...args);
      assert.deepEqual([code, err.includes(usage)], [2, true], args.join(' '));
    }
    const { code, err } = await admin('resume', 'nobody@example.test');
    assert.deepEqual(
      [code, err],
      [1, 'Failed: there is no workspace nobody@example.test. "workspace find" searches names and addresses\n'],
    );
    const json = await admin('resume', account.workspaceId, '--json');
    assert.deepEqual(JSON.parse(json.out), { workspace_id: account.workspaceId, suspended: false, changed: false });
    assert.deepEqual((await admin()).code, 0);
  });
});

describe('an unverified workspace', () => {
  const startApi = useApiStarts();
  const send = async (app: TestApp) => {
    const { key, workspaceId } = await app.account();
    await Workspace.update({ email_verified: false }, { where: { id: workspaceId } });
    const { status, body } = await app.call('POST', '/api/v1/messages/send', { key, body: sms });
    return [status, body.error];
  };
  it('403 for a send of an unverified workspace with a real carrier, and a sign-up gets no credits', async () => {
    const app = await startApi({ PROVIDER_EMAIL: 'smtp', EMAIL_FROM: 'a@example.test', EMAIL_SMTP_URL: 'smtp://127.0.0.1:1' });
    assert.deepEqual(await send(app), [403, 'Verify your email address first']);
    const body = { email: 'real@example.test', password: 'correct horse battery', company_name: 'x' };
    assert.equal((await app.call('POST', '/api/v1/auth/signup', { body })).body.data.workspace.credits_balance, 0);
  });
  it('201 for a send of an unverified workspace where every channel is the sandbox', async () => {
    assert.deepEqual(await send(await startApi()), [201, undefined]);
  });
});
