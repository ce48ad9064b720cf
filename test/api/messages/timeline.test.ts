import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { cancelMessage } from '../../../models/operations/messages/cancel-message.js';
import { handoffUnknown } from '../../../models/rules/messages/error-codes.js';
import type { ReportStatus } from '../../../models/rules/messages/status.js';
import { rows } from '../../support/database.js';
import { buildQueued, buildUndecided, buildWebhook } from '../../support/rows/factories.js';
import { buildClaimed, buildSent, reportOf } from '../../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../../support/rows/reports.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';
import { type Step, useTimelines } from './use-timelines.js';

describe('GET /messages/:id/timeline', () => {
  const timelines = useTimelines();
  const { app, timelineOf, stepsOf } = timelines;
  let { db, account } = {} as Pick<typeof timelines, 'db' | 'account'>;
  beforeEach(() => {
    ({ db, account } = timelines);
  });
  const typesOf = (timeline: { steps: Step[] }) => timeline.steps.map(({ type }) => type);

  it('the timeline shows all events of a delivered message in their order', async () => {
    const { row: webhook } = await buildWebhook(account.workspaceId, 'https://example.com/hook');
    const message = await buildSent(db, account.workspaceId);
    await recordReports(db, [
      reportOf(message, 'delivered', { raw: `{"account":"AC1","reference":"${message.to}","status":"delivered"}` }),
    ]);
    await applyReports(db, message.group_id);
    const timeline = await timelineOf(message.id);
    const expected = ['accepted', 'attempt', 'charged', 'delivered', 'report', 'sent'];
    assert.deepEqual([...new Set(typesOf(timeline))].filter((type) => !['event', 'delivery'].includes(type)).toSorted(), expected);
    assert.equal(timeline.steps[0].type, 'accepted');
    assert.equal(timeline.workflow_id, `msg:${message.group_id}`);
    assert.deepEqual(
      timeline.steps.map(({ at }: Step) => at),
      timeline.steps.map(({ at }: Step) => at).toSorted(),
    );
    const [charged] = stepsOf(timeline, 'charged');
    assert.deepEqual([charged?.details.amount, charged?.details.transaction_amount], [-1, -1]);
    const [attempt] = stepsOf(timeline, 'attempt');
    assert.deepEqual([attempt?.details.outcome, attempt?.details.provider_message_id], ['accepted', message.provider_message_id]);
    const [report] = stepsOf(timeline, 'report');
    assert.deepEqual([report?.details.outcome, report?.details.raw], ['applied', '{"reference":"***67","status":"delivered"}']);
    assert.deepEqual(
      stepsOf(timeline, 'event').map(({ details }) => details.event),
      ['message.queued', 'message.sent', 'message.delivered'],
    );
    const deliveries = stepsOf(timeline, 'delivery').map(({ details }) => [details.webhook_id, details.status, details.attempts]);
    assert.deepEqual(
      deliveries,
      Array.from({ length: 3 }, () => [webhook.id, 'pending', 0]),
    );
    assert.equal(timeline.waiting_for.what, 'webhook_delivery');
  });

  it('the timeline shows why reports were not applied, and how often they were repeated', async () => {
    const message = await buildSent(db, account.workspaceId);
    const report = (status: ReportStatus) => reportOf(message, status);
    await recordReports(db, [report('delivered'), report('delivered'), report('read')]);
    await applyReports(db, message.group_id);
    await recordReports(db, [report('sent'), report('failed'), report('delivered')]);
    await applyReports(db, message.group_id);
    await recordReports(db, [report('delivered')]);
    const told = stepsOf(await timelineOf(message.id), 'report').map(({ details }) =>
      [details.status, details.outcome, details.reason ?? '-', details.repeats].join(' '),
    );
    assert.deepEqual(told.toSorted(), [
      'delivered applied - 3',
      'failed ignored backwards 0',
      'read ignored not_on_channel 0',
      'sent ignored backwards 0',
    ]);
  });

  it('the timeline shows a report of the current status as a repetition', async () => {
    const message = await buildSent(db, account.workspaceId);
    await recordReports(db, [reportOf(message, 'sent')]);
    const [waiting] = stepsOf(await timelineOf(message.id), 'report');
    assert.deepEqual([waiting?.details.outcome, waiting?.details.applied_at], ['waiting', null]);
    await applyReports(db, message.group_id);
    const [step] = stepsOf(await timelineOf(message.id), 'report');
    assert.deepEqual([step?.details.outcome, step?.details.reason], ['ignored', 'repeats_status']);
  });

  it('the timeline shows a message that was given up without a refusal of its carrier', async () => {
    const { id, attempt } = await buildClaimed(db, account.workspaceId);
    await recordHandoffs(db, [{ id, attempt, provider: 'sandbox', outcome: 'rejected', ...handoffUnknown }]);
    const [given] = stepsOf(await timelineOf(id), 'attempt');
    assert.equal(given?.text, 'Given up: no report came, and sandbox cannot tell whether it accepted the message');
    assert.equal(given.details.outcome, 'unknown');
  });

  it('the timeline shows refund and failure of a cancelled message', async () => {
    const { id } = await buildQueued(db, account.workspaceId);
    await cancelMessage(db, account.workspaceId, id);
    const timeline = await timelineOf(id);
    assert.deepEqual(typesOf(timeline).toSorted(), ['accepted', 'charged', 'failed', 'refunded']);
    assert.equal(stepsOf(timeline, 'refunded')[0]?.details.amount, 1);
    assert.deepEqual([stepsOf(timeline, 'failed')[0]?.details.error_code, timeline.waiting_for], ['cancelled', null]);
  });

  it('the timeline shows the part of one message in the charges of its batch', async () => {
    const body = { channel: 'sms', content: { text: 'x' }, recipients: ['+15551234567', '+15551234568'] };
    const { batch } = (await app.call('POST', '/api/v1/messages/bulk', { key: account.key, body })).body.data;
    const [first, second] = await rows<{ id: string }>(db, 'SELECT id FROM messages WHERE batch_id = $1 ORDER BY id', [batch.id]);
    await rows(db, `UPDATE batches SET status = 'paused' WHERE id = $1`, [batch.id]);
    assert.equal((await timelineOf(first?.id ?? '')).waiting_for.what, 'batch_resume');
    await app.call('POST', `/api/v1/messages/bulk/${batch.id}/cancel`, { key: account.key });
    for (const id of [first?.id ?? '', second?.id ?? '']) {
      const timeline = await timelineOf(id);
      const money = ['charged', 'refunded'].map((type) => {
        const { amount, transaction_amount } = stepsOf(timeline, type)[0]?.details ?? {};
        return [amount, transaction_amount];
      });
      assert.deepEqual(money, [
        [toCredits(-prices.sms), toCredits(-2 * prices.sms)],
        [toCredits(prices.sms), toCredits(2 * prices.sms)],
      ]);
    }
  });

  it('404 for the timeline of a message that is foreign, unknown, malformed or not accepted yet', async () => {
    const { id } = await buildQueued(db, (await app.account()).workspaceId);
    const { id: undecided } = await buildUndecided(db, account.workspaceId);
    for (const unknown of [id, uuidv7(), 'x', undecided]) {
      const { status, body } = await app.call('GET', `/api/v1/messages/${unknown}/timeline`, { key: account.key });
      assert.deepEqual([status, body.error], [404, 'Message not found']);
    }
  });
});
