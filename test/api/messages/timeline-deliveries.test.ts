import assert from 'node:assert/strict';
import { attemptsKept } from '../../../models/operations/deliveries/record-attempt.js';
import { forgetWebhookData } from '../../../models/operations/webhooks/forget-webhook-data.js';
import { idBefore } from '../../../models/rules/values/id-time.js';
import { rows } from '../../support/database.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { buildSent, reportOf } from '../../support/rows/messages.js';
import { applyReports, recordReports } from '../../support/rows/reports.js';
import { useTimelines } from './use-timelines.js';

describe('webhook deliveries in the timeline of a message', () => {
  const timelines = useTimelines();
  const { app, timelineOf, stepsOf } = timelines;

  /** A delivered message with a webhook that subscribes to its events. */
  const delivered = async () => {
    const { db, account } = timelines;
    const { row: webhook } = await buildWebhook(account.workspaceId, 'https://example.com/hook');
    const message = await buildSent(db, account.workspaceId);
    await recordReports(db, [reportOf(message, 'delivered')]);
    await applyReports(db, message.group_id);
    return { webhook, message };
  };
  const counted = async (messageId: string) => {
    const steps = stepsOf(await timelineOf(messageId), 'delivery');
    return [...new Set(steps.map(({ text, details }) => `${text.replace(/^.*: /, '')} (${String(details.attempts)})`))];
  };
  const attempted = (messageId: string, from: number, to: number) =>
    rows(
      timelines.db,
      `INSERT INTO delivery_attempts (delivery_id, number, at, trigger, duration_ms)
       SELECT id, number, now(), 'scheduled', 5 FROM deliveries, generate_series($2::integer, $3::integer) number WHERE message_id = $1`,
      [messageId, from, to],
    );
  const succeeded = (messageId: string) =>
    rows(
      timelines.db,
      `UPDATE deliveries SET status = 'succeeded', next_attempt_at = NULL, delivered_at = now(), ladder_step = 1 WHERE message_id = $1`,
      [messageId],
    );

  it('the next attempt of a delivery is not before its endpoint may be called again, as in the list of deliveries', async () => {
    const { webhook, message } = await delivered();
    const listed = async () => {
      const { body } = await app.call('GET', `/api/v1/webhooks/${webhook.id}/deliveries`, { jwt: timelines.account.jwt });
      return new Set(body.data.deliveries.map(({ next_attempt_at }: { next_attempt_at: string | null }) => next_attempt_at));
    };
    const shown = async () =>
      new Set(stepsOf(await timelineOf(message.id), 'delivery').map(({ details }) => details.next_attempt_at as string | null));
    const resumeAt = new Date(Date.now() + 3_600_000);
    await rows(timelines.db, 'UPDATE webhooks SET resume_at = $2 WHERE id = $1', [webhook.id, resumeAt]);
    assert.deepEqual([...(await shown())], [resumeAt.toISOString()]);
    assert.deepEqual(await shown(), await listed());
    assert.equal((await timelineOf(message.id)).waiting_for.until, resumeAt.toISOString());
    await rows(timelines.db, `UPDATE webhooks SET resume_at = now() - interval '1 hour' WHERE id = $1`, [webhook.id]);
    assert.deepEqual(await shown(), await listed(), 'the pause is over');
    await rows(timelines.db, 'UPDATE webhooks SET resume_at = $2 WHERE id = $1', [webhook.id, resumeAt]);
    await succeeded(message.id);
    assert.deepEqual([...(await shown())], [null], 'no attempt is scheduled');
  });

  it('the timeline names each webhook by the host of its URL, without path and query, which may contain secrets', async () => {
    await buildWebhook(timelines.account.workspaceId, 'https://one.example.com:8443/secret?token=secret');
    const { message } = await delivered();
    const { steps } = await timelineOf(message.id);
    const texts = steps.filter(({ type }: { type: string }) => type === 'delivery').map(({ text }: { text: string }) => text);
    assert.ok(texts.includes('message.delivered to the webhook at one.example.com:8443: pending, 0 attempts'));
    assert.ok(texts.includes('message.delivered to the webhook at example.com: pending, 0 attempts'));
    assert.doesNotMatch(JSON.stringify(steps), /secret/);
  });

  it('the timeline counts the attempts of a delivery in words', async () => {
    const { message } = await delivered();
    assert.deepEqual(await counted(message.id), ['pending, 0 attempts (0)']);
    await attempted(message.id, 1, 1);
    assert.deepEqual(await counted(message.id), ['pending, 1 attempt (1)']);
  });

  it('the timeline counts the attempts that were made, not those that are kept', async () => {
    const { message } = await delivered();
    await attempted(message.id, 36 - attemptsKept, 35);
    assert.deepEqual(await counted(message.id), ['pending, 35 attempts (35)']);
  });

  it('the timeline shows no number of attempts once the retention has deleted them', async () => {
    const { message } = await delivered();
    const old = idBefore(new Date(Date.now() - 91 * 86_400_000)).slice(0, 13);
    await rows(timelines.db, 'UPDATE deliveries SET id = ($2 || substr(id::text, 14))::uuid WHERE message_id = $1', [message.id, old]);
    await attempted(message.id, 1, 1);
    await succeeded(message.id);
    await forgetWebhookData(timelines.db, { bodies: 0, attempts: 90, deliveries: 0 }, Date.now() + 30_000);
    assert.deepEqual(await counted(message.id), ['succeeded (null)']);
  });
});
