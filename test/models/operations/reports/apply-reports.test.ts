import { forEachChannel } from '../../../../models/channels.js';
import assert from 'node:assert/strict';
import { awaitingReports } from '../../../../models/operations/reports/awaiting-reports.js';
import { takeDueGroups } from '../../../../models/operations/watch/due-groups.js';
import { decideCheck } from '../../../../models/rules/messages/group-check.js';
import { rows } from '../../../support/database.js';
import { buildUndecided, buildWebhook } from '../../../support/rows/factories.js';
import { workspaceForEach } from '../../../support/for-each.js';
import {
  acceptedAs,
  buildQueuedGroup,
  buildSent,
  claimAll,
  eventsOf,
  ledgerOf,
  messageOf,
  outcomesOf,
  reportOf,
  sandboxEverywhere,
  statusOf,
} from '../../../support/rows/messages.js';
import { applyReports, everOverdue, giveUpOnReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';
import { makeOpenRowsDue } from '../../../support/temporal/watcher.js';

describe('applyReports', () => {
  const test = workspaceForEach({ balance: 1_000_000, poolMax: 20 });
  beforeEach(() => buildWebhook(test.workspaceId, 'https://one.example.test/'));

  const isClosed = async (groupId: string) =>
    (await rows<{ closed: boolean }>(test.db, 'SELECT closed_at IS NOT NULL AS closed FROM message_groups WHERE id = $1', [groupId]))[0]
      ?.closed;
  it('a delivery report delivers its message, and closes the group', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    const report = reportOf(message, 'delivered', { occurred_at: new Date(Date.now() + 60_000) });
    await recordReports(test.db, [report]);
    assert.equal((await applyReports(test.db, message.group_id)).open, 0);
    const { status, delivered_at, credits_used } = await messageOf(test.db, message.id);
    assert.deepEqual(
      { status, delivered_at, credits_used },
      { status: 'delivered', delivered_at: report.occurred_at, credits_used: 1_000 },
    );
    assert.equal(await isClosed(message.group_id), true);
    assert.deepEqual(await outcomesOf(test.db, message.id), { delivered: 'applied' });
  });

  it('a failure report fails its message without a refund, with our text for the code', async () => {
    const [sms, email, unknown, listed, optedOut] = [
      await buildSent(test.db, test.workspaceId),
      await buildSent(test.db, test.workspaceId, { channel: 'email' }),
      await buildSent(test.db, test.workspaceId),
      await buildSent(test.db, test.workspaceId, { channel: 'email' }),
      await buildSent(test.db, test.workspaceId, { channel: 'email' }),
    ];
    await recordReports(test.db, [
      reportOf(sms, 'failed', { provider_error_code: '30006' }),
      reportOf(email, 'failed', { provider_error_code: '30006' }),
      reportOf(unknown, 'failed', { error_code: null, provider_error_code: 'E-4711' }),
      reportOf(listed, 'failed', { error_code: 'suppressed', is_permanent: true, provider_error_code: 'Permanent/Suppressed' }),
      reportOf(optedOut, 'failed', { error_code: 'suppressed', is_permanent: false, provider_error_code: 'Unsubscribed Address' }),
    ]);
    const seen: (string | null)[][] = [];
    for (const { id, group_id } of [sms, email, unknown, listed, optedOut]) {
      await applyReports(test.db, group_id);
      const { status_detail, error_code, error_message, provider_error_code } = await messageOf(test.db, id);
      seen.push([status_detail, error_code, error_message, provider_error_code]);
    }
    assert.deepEqual(seen, [
      ['undeliverable', '30006', 'Landline or unreachable carrier', '30006'],
      ['undeliverable', '30006', 'Mailbox unreachable', '30006'],
      ['undeliverable', 'undeliverable', 'The carrier could not deliver the message', 'E-4711'],
      ['undeliverable', 'suppressed', "The recipient is on the carrier's suppression list", 'Permanent/Suppressed'],
      ['undeliverable', 'suppressed', 'The recipient has opted out', 'Unsubscribed Address'],
    ]);
    assert.equal((await ledgerOf(test.db, test.workspaceId)).filter((entry) => entry.startsWith('refund')).length, 0);
  });

  it('a read receipt is ignored on a channel without them', async () => {
    for (const channel of ['sms', 'email'] as const) {
      const message = await buildSent(test.db, test.workspaceId, { channel });
      await recordReports(test.db, [reportOf(message, 'read'), reportOf(message, 'delivered')]);
      await applyReports(test.db, message.group_id);
      assert.equal(await statusOf(test.db, message.id), 'delivered/delivered');
      assert.deepEqual(await outcomesOf(test.db, message.id), { read: 'ignored', delivered: 'applied' });
    }
  });

  it('a group is closed with its last message', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}, {}]);
    const claims = await claimAll(test.db, groupId, sandboxEverywhere);
    const [one, two, three] = claims.map((claim) => ({ id: claim.id, provider_message_id: `p-${claim.id}` }));
    assert.ok(one && two && three);
    await recordHandoffs(
      test.db,
      claims.slice(0, 2).map((claim) => acceptedAs(claim, `p-${claim.id}`)),
    );
    await recordReports(test.db, [reportOf(one, 'delivered')]);
    assert.equal((await applyReports(test.db, groupId)).open, 2);
    await recordReports(test.db, [reportOf(two, 'failed')]);
    assert.equal((await applyReports(test.db, groupId)).open, 1, 'the third is not handed off yet');
    assert.equal(await isClosed(groupId), false);
    await recordReports(test.db, [reportOf(three, 'delivered')]);
    assert.equal((await applyReports(test.db, groupId)).open, 0);
    assert.equal(await isClosed(groupId), true);
    assert.deepEqual(await Promise.all(ids.map((id) => statusOf(test.db, id))), [
      'delivered/delivered',
      'failed/undeliverable',
      'delivered/delivered',
    ]);
  });

  it('undecided messages of a group count as open', async () => {
    const { group_id } = await buildUndecided(test.db, test.workspaceId);
    assert.equal((await applyReports(test.db, group_id)).open, 1);
    assert.equal(await isClosed(group_id), false);
    assert.equal((await applyReports(test.db, test.workspaceId)).open, 0);
  });

  it('an SMS of three segments fails once when one is lost, without a refund', async () => {
    const message = await buildSent(test.db, test.workspaceId, { segments: 3, cost: 3_000 });
    // A carrier reports the message when its last part is settled. Some report the parts, with the id of the message.
    await recordReports(test.db, [reportOf(message, 'sent'), reportOf(message, 'failed'), reportOf(message, 'failed')]);
    await applyReports(test.db, message.group_id);
    await recordReports(test.db, [reportOf(message, 'failed')]);
    await applyReports(test.db, message.group_id);
    const { credits_used } = await messageOf(test.db, message.id);
    assert.deepEqual([await statusOf(test.db, message.id), credits_used], ['failed/undeliverable', 3_000]);
    assert.deepEqual(await eventsOf(test.db, message.id), ['queued', 'sent', 'failed']);
    assert.deepEqual(await ledgerOf(test.db, test.workspaceId), ['grant 1000000', 'debit -3000']);
  });

  it('a report after 71 hours is applied', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    const hours = (count: number) => count * 3_600;
    await rows(
      test.db,
      `UPDATE messages SET created_at = created_at - $2 * interval '1 second', sent_at = sent_at - $2 * interval '1 second' WHERE id = $1`,
      [message.id, hours(71)],
    );
    await rows(test.db, `UPDATE message_groups SET created_at = created_at - $2 * interval '1 second' WHERE id = $1`, [
      message.group_id,
      hours(71),
    ]);
    await makeOpenRowsDue(test.db);
    const taken = (await takeDueGroups(test.db, 1_000)).find(({ groupId }) => groupId === message.group_id);
    assert.ok(taken);
    const verdict = decideCheck(taken, { ...forEachChannel(() => 0), sms: hours(72) * 1_000 });
    assert.equal(verdict.action, 'wait');
    assert.ok(verdict.checkInMs > 3_500_000 && verdict.checkInMs < 3_700_000, String(verdict.checkInMs));
    const [wake] = await recordReports(test.db, [reportOf(message, 'delivered')]);
    assert.deepEqual([wake?.groupId, wake?.late], [message.group_id, false], 'its workflow is still there');
    await applyReports(test.db, message.group_id);
    assert.equal(await statusOf(test.db, message.id), 'delivered/delivered');
    assert.deepEqual(await eventsOf(test.db, message.id), ['queued', 'sent', 'delivered']);
  });

  it('a report that arrives after the wait was given up is applied', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    await giveUpOnReports(test.db, message.group_id);
    assert.equal(await statusOf(test.db, message.id), 'sent/unknown');
    await recordReports(test.db, [reportOf(message, 'sent'), reportOf(message, 'delivered')]);
    await applyReports(test.db, message.group_id);
    assert.equal(await statusOf(test.db, message.id), 'delivered/delivered');
    assert.deepEqual(await eventsOf(test.db, message.id), ['queued', 'sent', 'delivered']);
  });

  it('the messages of a group that still wait for a report are named', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    const awaiting = () => awaitingReports(test.db, message.group_id, { overdue: everOverdue, after: null });
    assert.deepEqual(await awaiting(), [{ id: message.id, provider: 'sandbox', provider_message_id: message.provider_message_id }]);
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    await applyReports(test.db, message.group_id);
    assert.deepEqual(await awaiting(), []);
  });
});
