import assert from 'node:assert/strict';
import { optIn, optOut } from '../../../support/rows/opt-requests.js';
import { type NewSuppression, suppress } from '../../../../models/operations/contacts/suppress.js';
import { rows } from '../../../support/database.js';
import { buildQueued, buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { workspaceForEach } from '../../../support/for-each.js';
import {
  balanceOf,
  buildClaimed,
  buildQueuedGroup,
  buildSent,
  claimAll,
  eventsOf,
  messageOf,
  reportOf,
  sandboxEverywhere,
  statusOf,
} from '../../../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';
import { suppressionsOf } from './suppressions-of.js';

const phone = '+15551234567';

describe('suppressions', () => {
  const test = workspaceForEach();

  const list = (overrides: Partial<NewSuppression> = {}) =>
    suppress(test.db, [
      { workspace_id: test.workspaceId, channel: 'sms', recipient: phone, reason: 'manual', source: 'api', ...overrides },
    ]);
  const claim = (groupId: string) => claimAll(test.db, groupId, sandboxEverywhere);
  const listed = (id = test.workspaceId) => suppressionsOf(test.db, id);

  it('suppressions fail and refund a message before any attempt', async () => {
    await buildWebhook(test.workspaceId, 'https://one.example.test/');
    await list();
    const { id, group_id } = await buildQueued(test.db, test.workspaceId, { to: phone });
    assert.deepEqual(await claim(group_id), []);
    const { status, status_detail, error_code, error_message, credits_used } = await messageOf(test.db, id);
    assert.deepEqual(
      [status, status_detail, error_code, error_message, credits_used],
      ['failed', 'suppressed', 'suppressed', 'The recipient is on the suppression list', 0],
    );
    assert.deepEqual(await eventsOf(test.db, id), ['queued', 'failed']);
    assert.equal(await balanceOf(test.db, test.workspaceId), 100_000);
    assert.deepEqual(await rows(test.db, 'SELECT 1 FROM send_attempts WHERE message_id = $1', [id]), []);
  });

  it('suppressions fail no other message of a group', async () => {
    await list();
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{ to: phone }, { to: '+15551234568' }]);
    assert.deepEqual(
      (await claim(groupId)).map(({ id }) => id),
      [ids[1]],
    );
    assert.equal(await statusOf(test.db, ids[0] ?? ''), 'failed/suppressed');
  });

  for (const [what, entry, message] of [
    ['another recipient', { recipient: '+15551234568' }, { to: phone }],
    ['another channel', { channel: 'whatsapp' }, { to: phone }],
    ['a time that is over', { expires_at: new Date(Date.now() - 1000) }, { to: phone }],
  ] as const) {
    it(`suppressions do not hold for ${what}`, async () => {
      await list(entry);
      assert.equal((await claim((await buildQueued(test.db, test.workspaceId, message)).group_id)).length, 1);
    });
  }

  it('suppressions do not hold in another workspace', async () => {
    await list();
    const other = await buildWorkspace(test.db);
    assert.equal((await claim((await buildQueued(test.db, other.id, { to: phone })).group_id)).length, 1);
  });

  it('suppressions hold for an address in any letter case', async () => {
    await list({ channel: 'email', recipient: 'Ada@Example.com' });
    const { id, group_id } = await buildQueued(test.db, test.workspaceId, { channel: 'email', to: 'aDA@example.COM' });
    assert.deepEqual(await claim(group_id), []);
    assert.equal(await statusOf(test.db, id), 'failed/suppressed');
  });

  it('suppressions fail a scheduled message that is due after a STOP', async () => {
    const scheduled_at = new Date(Date.now() + 3_600_000);
    const { id, group_id } = await buildQueued(test.db, test.workspaceId, { to: phone, scheduled_at, status_detail: 'scheduled' });
    await list();
    await claim(group_id);
    assert.equal(await statusOf(test.db, id), 'queued/scheduled');
    await rows(test.db, 'UPDATE messages SET scheduled_at = now() WHERE id = $1', [id]);
    await claim(group_id);
    assert.equal(await statusOf(test.db, id), 'failed/suppressed');
  });

  it('suppressions fail no message whose hand-off may have succeeded', async () => {
    const first = await buildClaimed(test.db, test.workspaceId, { to: phone });
    await recordHandoffs(test.db, [{ id: first.id, attempt: 1, provider: 'sandbox', outcome: 'unknown', detail: 'reset' }]);
    await list();
    const { group_id } = await messageOf(test.db, first.id);
    assert.deepEqual(
      (await claim(group_id)).map(({ uncertain }) => uncertain),
      [true],
    );
  });

  it('suppressions stay when they are permanent, and are replaced when they expire', async () => {
    await list({ reason: 'bounce' });
    await list({ reason: 'opt_out' });
    await list({ reason: 'bounce' });
    assert.deepEqual(await listed(), [`sms ${phone} opt_out api`]);
  });

  describe('by their cause', () => {
    const email = { channel: 'email', to: 'ada@example.com' } as const;
    const bounced = async (overrides: object) => {
      const message = await buildSent(test.db, test.workspaceId, email);
      const report = reportOf(message, 'failed', { error_code: '30006', ...overrides });
      await recordReports(test.db, [report]);
      await applyReports(test.db, message.group_id);
      return message;
    };

    it('a hard bounce suppresses a mail address for 30 days', async () => {
      const { id } = await bounced({ is_permanent: true });
      const [entry] = await rows<{ message_id: string; days: number }>(
        test.db,
        'SELECT message_id, round(extract(epoch FROM expires_at - now()) / 86400)::integer AS days FROM suppressions WHERE workspace_id = $1',
        [test.workspaceId],
      );
      assert.deepEqual(entry, { message_id: id, days: 30 });
      assert.deepEqual(await listed(), ['email ada@example.com bounce report']);
    });

    it('a temporary bounce suppresses nobody', async () => {
      await bounced({ is_permanent: false });
      assert.deepEqual(await listed(), []);
    });

    it("a report that names a mail provider's own list suppresses an address for 30 days", async () => {
      await bounced({ error_code: 'suppressed', is_permanent: true });
      assert.deepEqual(await listed(), ['email ada@example.com bounce report']);
    });

    it("a refusal that names a provider's own list suppresses a recipient", async () => {
      const { id, attempt } = await buildClaimed(test.db, test.workspaceId, { to: phone });
      const refusal = { outcome: 'rejected', error_code: 'suppressed', error_message: 'Opted out', provider_error_code: '21610' } as const;
      await recordHandoffs(test.db, [{ id, attempt, provider: 'sandbox', ...refusal }]);
      assert.equal(await statusOf(test.db, id), 'failed/suppressed');
      assert.deepEqual(await listed(), [`sms ${phone} opt_out provider`]);
    });

    it('a new subscription ends a suppression from a refusal, but none from a bounce or the workspace', async () => {
      const { id, attempt } = await buildClaimed(test.db, test.workspaceId, { channel: 'email', to: 'ada@example.com' });
      await buildSent(test.db, test.workspaceId, { channel: 'email', to: 'ada@example.com' });
      const refusal = { outcome: 'rejected', error_code: 'suppressed', error_message: 'Inactive', provider_error_code: '406' } as const;
      await recordHandoffs(test.db, [{ id, attempt, provider: 'sandbox', ...refusal }]);
      assert.deepEqual(await listed(), ['email ada@example.com bounce provider']);
      const sender = { provider: 'sandbox', channel: 'email', recipient: 'ada@example.com' } as const;
      await optIn(test.db, sender);
      assert.deepEqual(await listed(), []);
      for (const [reason, source] of [
        ['bounce', 'report'],
        ['manual', 'api'],
      ] as const) {
        await list({ channel: 'email', recipient: sender.recipient, reason, source });
        await optIn(test.db, sender);
        assert.deepEqual(await listed(), [`email ada@example.com ${reason} ${source}`]);
      }
    });

    it('STOP suppresses in every workspace that wrote by this account, until START', async () => {
      const [other, stranger] = [await buildWorkspace(test.db), await buildWorkspace(test.db)];
      const to = '+15559990001';
      for (const id of [test.workspaceId, other.id]) await buildSent(test.db, id, { to });
      const sender = { provider: 'sandbox', channel: 'sms', recipient: to } as const;
      const stop = { ...sender, reason: 'opt_out', source: 'inbound', message_id: null, provider_message_id: null } as const;
      await optOut(test.db, stop);
      await optOut(test.db, stop);
      const entry = [`sms ${to} opt_out inbound`];
      assert.deepEqual([await listed(), await listed(other.id), await listed(stranger.id)], [entry, entry, []]);
      await rows(test.db, `UPDATE suppressions SET reason = 'manual', source = 'api' WHERE workspace_id = $1`, [other.id]);
      await optIn(test.db, sender);
      assert.deepEqual([await listed(), await listed(other.id)], [[], [`sms ${to} manual api`]]);
    });
  });
});
