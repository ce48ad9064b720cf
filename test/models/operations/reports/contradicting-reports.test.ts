import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyReports } from '../../../../models/operations/reports/apply-reports.js';
import { recordReports } from '../../../../models/operations/reports/record-reports.js';
import type { ReportStatus } from '../../../../models/rules/messages/status.js';
import { buildWebhook } from '../../../support/rows/factories.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { balanceOf, buildSent, eventsOf, messageOf, outcomesOf, reportOf, stateAfter, statusOf } from '../../../support/rows/messages.js';

describe('applyReports, where reports contradict each other', () => {
  const test = workspaceForEach({ balance: 1_000_000, poolMax: 20 });
  beforeEach(() => buildWebhook(test.workspaceId, 'https://one.example.test/'));

  it('corrects failed to delivered with both events, and never the reverse', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    for (const status of ['failed', 'delivered'] as const) {
      await recordReports(test.db, [reportOf(message, status)]);
      await applyReports(test.db, message.group_id);
    }
    assert.equal(await statusOf(test.db, message.id), 'delivered/delivered');
    assert.deepEqual(await eventsOf(test.db, message.id), ['queued', 'sent', 'failed', 'delivered']);
    const other = await buildSent(test.db, test.workspaceId);
    for (const status of ['delivered', 'failed'] as const) {
      await recordReports(test.db, [reportOf(other, status)]);
      await applyReports(test.db, other.group_id);
    }
    assert.equal(await statusOf(test.db, other.id), 'delivered/delivered');
    assert.deepEqual(await outcomesOf(test.db, other.id), { delivered: 'applied', failed: 'ignored' });
  });

  for (const { proof, channel, consequence } of [
    { proof: 'delivered', channel: 'sms', consequence: 'one event, and none of a failure' },
    { proof: 'read', channel: 'whatsapp', consequence: 'subscribers get a delivery and no failure' },
  ] as const) {
    it(`applies failed and ${proof} in one round as ${proof}: ${consequence}`, async () => {
      for (const order of [['failed', proof] as const, [proof, 'failed'] as const]) {
        const message = await buildSent(test.db, test.workspaceId, { channel });
        await recordReports(
          test.db,
          order.map((status) => reportOf(message, status)),
        );
        await applyReports(test.db, message.group_id);
        const { status, failed_at, error_code } = await messageOf(test.db, message.id);
        assert.deepEqual({ status, failed_at, error_code }, { status: proof, failed_at: null, error_code: null });
        assert.deepEqual(await eventsOf(test.db, message.id), ['queued', 'sent', 'delivered']);
        assert.deepEqual(await outcomesOf(test.db, message.id), { [proof]: 'applied', failed: 'ignored' });
      }
    });
  }

  it('ends like the oracle for any reports in any order', async () => {
    const callback = fc.array(fc.constantFrom<ReportStatus>('sent', 'delivered', 'failed', 'read'), { minLength: 1, maxLength: 4 });
    const history = fc.array(callback, { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('sms' as const, 'whatsapp' as const), history, async (channel, callbacks) => {
        const message = await buildSent(test.db, test.workspaceId, { channel, cost: 100 });
        const told = new Set<ReportStatus>();
        let state = 'sent';
        for (const statuses of callbacks) {
          await recordReports(
            test.db,
            statuses.map((status) => reportOf(message, status)),
          );
          await applyReports(test.db, message.group_id);
          state = stateAfter(new Set(statuses.filter((status) => !told.has(status))), { channel, state });
          for (const status of statuses) told.add(status); // a statement counts once, also when it was ignored
        }
        const { status, credits_used } = await messageOf(test.db, message.id);
        assert.equal(status, state);
        assert.equal(credits_used, 100);
        const events = await eventsOf(test.db, message.id);
        assert.equal(new Set(events).size, events.length, 'each event once');
        assert.equal(events.at(-1), state === 'read' ? events.at(-1) : state, 'the last event has the state');
      }),
      { numRuns: 80 },
    );
    assert.ok(((await balanceOf(test.db, test.workspaceId)) ?? -1) > 0);
  });
});
