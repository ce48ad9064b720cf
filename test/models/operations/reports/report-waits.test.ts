/** The metric of waits for delivery reports. */
import assert from 'node:assert/strict';
import { workMetrics } from '../../../../models/metrics/catalogue.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { addedTo } from '../../../support/measure/counted.js';
import { buildQueuedGroup, buildSent, claimAll, reportOf, sandboxEverywhere } from '../../../support/rows/messages.js';
import { applyReports, giveUpOnReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';

describe('the metric of waits for reports', () => {
  const test = workspaceForEach({ balance: 1_000_000 });
  const counted = (work: () => Promise<unknown>) => addedTo(workMetrics.reportWaits, work);

  it('a wait counts once, with or without a report, and not again when a late report comes', async () => {
    const [answered, silent] = [
      await buildSent(test.db, test.workspaceId),
      await buildSent(test.db, test.workspaceId, { channel: 'email' }),
    ];
    const inTime = await counted(async () => {
      await recordReports(test.db, [reportOf(answered, 'sent')]);
      await applyReports(test.db, answered.group_id);
      await recordReports(test.db, [reportOf(answered, 'failed'), reportOf(answered, 'delivered')]);
      await applyReports(test.db, answered.group_id);
    });
    assert.deepEqual(inTime, { 'sms reported': 1 });
    assert.deepEqual(await counted(() => giveUpOnReports(test.db, silent.group_id)), { 'email missing': 1 });
    const late = await counted(async () => {
      await recordReports(test.db, [reportOf(silent, 'delivered')]);
      await applyReports(test.db, silent.group_id);
    });
    assert.deepEqual(late, {});
  });

  it('a message whose report proves its hand-off counts, and one whose carrier sends no reports does not', async () => {
    const proven = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    const [claim] = await claimAll(test.db, proven.groupId, sandboxEverywhere);
    assert.ok(claim);
    const reported = await counted(async () => {
      await recordReports(test.db, [reportOf({ id: claim.id, provider_message_id: `p-${claim.id}` }, 'delivered')]);
      await applyReports(test.db, proven.groupId);
    });
    assert.deepEqual(reported, { 'sms reported': 1 });
    const unreported = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    const [other] = await claimAll(test.db, unreported.groupId, sandboxEverywhere);
    assert.ok(other);
    const ended = await counted(async () => {
      await recordHandoffs(test.db, [
        { ...other, provider: 'sandbox', outcome: 'accepted', provider_message_id: `p-${other.id}`, isUnreported: true },
      ]);
      await giveUpOnReports(test.db, unreported.groupId);
    });
    assert.deepEqual(ended, {});
  });
});
