import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ReportStatus } from '../../../../models/rules/messages/status.js';
import { handoffUnknown } from '../../../../models/rules/messages/error-codes.js';
import { rows } from '../../../support/database.js';
import { buildWebhook } from '../../../support/rows/factories.js';
import { workspaceForEach } from '../../../support/for-each.js';
import {
  acceptedAs,
  balanceOf,
  buildClaimed,
  buildQueuedGroup,
  buildSent,
  claimAll,
  eventsOf,
  messageOf,
  outcomesOf,
  reportOf,
  sandboxEverywhere,
  stateAfter,
  statusOf,
} from '../../../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';

describe('applyReports, where reports contradict each other', () => {
  const test = workspaceForEach({ balance: 1_000_000, poolMax: 20 });
  beforeEach(() => buildWebhook(test.workspaceId, 'https://one.example.test/'));

  it('a failed message is corrected to delivered with both events, and a delivered one never fails', async () => {
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
    it(`a message with failed and ${proof} reports in one round is ${proof}: ${consequence}`, async () => {
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

  /** Messages of one group whose calls were not answered. */
  const buildUnanswered = async (count: number) => {
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, count);
    return { groupId, claims: await claimAll(test.db, groupId, sandboxEverywhere) };
  };
  /** A report that names the message by our id. */
  const report = (id: string, provider_message_id: string, status: ReportStatus) => reportOf({ id, provider_message_id }, status);
  const names = (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await messageOf(test.db, id)).provider_message_id));
  const namesInEvents = (id: string) =>
    rows(test.db, "SELECT type, body::json -> 'data' ->> 'provider_message_id' AS name FROM events WHERE message_id = $1 ORDER BY seq", [
      id,
    ]);
  const namedBy = (name: string) => [
    { type: 'message.queued', name: null },
    { type: 'message.sent', name },
    { type: 'message.delivered', name },
  ];
  const statuses = (ids: readonly string[]) => Promise.all(ids.map((id) => statusOf(test.db, id)));

  it('all reports are applied when two uncertain messages have one id, which the first message gets', async () => {
    const { groupId, claims } = await buildUnanswered(3);
    const ids = claims.map(({ id }) => id);
    const [one = '', two = '', three = ''] = ids;
    await recordReports(test.db, [report(two, 'same', 'delivered'), report(one, 'same', 'sent'), report(three, 'other', 'delivered')]);
    assert.equal((await applyReports(test.db, groupId)).open, 1);
    assert.deepEqual(await statuses(ids), ['sent/awaiting_report', 'delivered/delivered', 'delivered/delivered']);
    assert.deepEqual(await names(ids), ['same', null, 'other']);
    const attempts = await rows(test.db, 'SELECT provider_message_id FROM send_attempts WHERE message_id = $1', [two]);
    assert.deepEqual(attempts, [{ provider_message_id: 'same' }], 'the report is found by its attempt');
    assert.deepEqual(
      await Promise.all([two, three].map(namesInEvents)),
      [namedBy('same'), namedBy('other')],
      'events have the id of the report',
    );
  });

  it('all reports are applied when another message already has the id of an uncertain one', async () => {
    const { groupId, claims } = await buildUnanswered(2);
    const ids = claims.map(({ id }) => id);
    const [one = '', two = ''] = ids;
    await recordReports(test.db, [report(one, 'taken', 'delivered'), report(two, 'free', 'delivered')]);
    await recordHandoffs(test.db, [acceptedAs(await buildClaimed(test.db, test.workspaceId), 'taken')]);
    assert.equal((await applyReports(test.db, groupId)).open, 0);
    assert.deepEqual(await statuses(ids), ['delivered/delivered', 'delivered/delivered']);
    assert.deepEqual(await names(ids), [null, 'free']);
  });

  it('all reports are applied when one id belongs to a failed message, which it corrects, and an uncertain one', async () => {
    const { groupId, claims } = await buildUnanswered(2);
    const ids = claims.map(({ id }) => id);
    const [one = '', two = ''] = ids;
    await recordHandoffs(test.db, [{ id: one, attempt: 1, provider: 'sandbox', outcome: 'rejected', ...handoffUnknown }]);
    await recordReports(test.db, [report(one, 'late', 'delivered'), report(two, 'late', 'sent')]);
    assert.equal((await applyReports(test.db, groupId)).open, 1);
    assert.deepEqual(await statuses(ids), ['delivered/delivered', 'sent/awaiting_report']);
    assert.deepEqual(await names(ids), ['late', null]);
  });

  it('a message ends like the oracle for any reports in any order', async () => {
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
