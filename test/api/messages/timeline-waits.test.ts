import assert from 'node:assert/strict';
import { pauseBatch } from '../../../models/operations/batches/change-batch.js';
import { rows } from '../../support/database.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { buildQueued } from '../../support/rows/factories.js';
import { acceptedAs, buildClaimed, claimAll, sandboxEverywhere } from '../../support/rows/messages.js';
import { assertAbout } from '../../support/measure/times.js';
import { recordHandoffs } from '../../support/rows/reports.js';
import { useTimelines } from './use-timelines.js';

describe('what ends the wait of a message in its timeline', () => {
  const timelines = useTimelines();
  const { app, timelineOf } = timelines;
  const waitOf = async (id: string) => (await timelineOf(id)).waiting_for as { what: string; text: string; until: string | null };
  const waiting = async (id: string) => {
    const { what, text, until } = await waitOf(id);
    return [what, text.replace(/^.*(; |\. )/, ''), until];
  };

  it('waiting_for names the schedule', async () => {
    const scheduled_at = new Date(Date.now() + 3_600_000);
    const { id } = await buildQueued(timelines.db, timelines.account.workspaceId, { scheduled_at, status_detail: 'scheduled' });
    const { what, until } = await waitOf(id);
    assert.deepEqual([what, until], ['schedule', scheduled_at.toISOString()]);
  });

  it('waiting_for names the hand-off until the last attempt', async () => {
    const { what, until } = await waitOf((await buildQueued(timelines.db, timelines.account.workspaceId)).id);
    assert.equal(what, 'hand_off');
    const [page] = (await buildAcceptedBatch(timelines.db, timelines.account.workspaceId, [1], { rate: 0.05 })).pages;
    assert.equal((await waitOf(page?.ids[0] ?? '')).until, null, 'the rate of a batch may need any time');
    assertAbout(until, Date.now() + app.deps.config.handoffTimeoutSeconds * 1000);
  });

  it('waiting_for names the answer of the provider during a call', async () => {
    assert.equal((await waitOf((await buildClaimed(timelines.db, timelines.account.workspaceId)).id)).what, 'provider_answer');
  });

  it('waiting_for names the next attempt after one that failed', async () => {
    const { id, attempt } = await buildClaimed(timelines.db, timelines.account.workspaceId);
    await recordHandoffs(timelines.db, [{ id, attempt, provider: 'sandbox', outcome: 'retryable', detail: '503' }]);
    assert.equal((await waitOf(id)).what, 'next_attempt');
  });

  it('waiting_for promises no end of the wait that is over already, as after a long time of throttling', async () => {
    const { id, attempt } = await buildClaimed(timelines.db, timelines.account.workspaceId);
    await recordHandoffs(timelines.db, [{ id, attempt, provider: 'sandbox', outcome: 'throttled', detail: '429' }]);
    await rows(timelines.db, "UPDATE messages SET created_at = now() - interval '5 hours' WHERE id = $1", [id]);
    const { what, until } = await waitOf(id);
    assert.deepEqual([what, until], ['next_attempt', null]);
  });

  it('waiting_for names the report until the provider is queried', async () => {
    const { id, group_id } = await buildQueued(timelines.db, timelines.account.workspaceId, { channel: 'email', to: 'a@example.com' });
    const [claim] = await claimAll(timelines.db, group_id, sandboxEverywhere);
    assert.ok(claim);
    await recordHandoffs(timelines.db, [acceptedAs(claim)]);
    const { what, until } = await waitOf(id);
    assert.equal(what, 'report');
    assertAbout(until, Date.now() + app.deps.config.reportTimeoutSeconds.email * 1000);
  });

  it('a message that is tried again waits at most until it expires', async () => {
    const expires_at = new Date(Date.now() + 60_000);
    const { id, attempt } = await buildClaimed(timelines.db, timelines.account.workspaceId, { expires_at });
    await recordHandoffs(timelines.db, [{ id, attempt, provider: 'sandbox', outcome: 'retryable', detail: '503' }]);
    assert.deepEqual(await waiting(id), [
      'next_attempt',
      'If it is not handed off by then, it expires and is refunded',
      expires_at.toISOString(),
    ]);
  });

  it('a message with a fallback waits for its report at most until the fallback is sent', async () => {
    const { db, account } = timelines;
    const fallback = [{ channel: 'email', to: 'a@example.com', after: 60 }];
    const body = { to: '+15005550002', channel: 'sms', content: { text: 'x' }, fallback };
    const { id, created_at } = (await app.call('POST', '/api/v1/messages/send', { key: account.key, body })).body.data.message;
    const [claim] = await claimAll(db, id, sandboxEverywhere);
    assert.ok(claim);
    await recordHandoffs(db, [acceptedAs(claim)]);
    const [chain] = await rows<{ due_at: Date }>(db, 'SELECT due_at FROM fallbacks WHERE message_id = $1', [id]);
    assert.deepEqual(await waiting(id), ['report', 'If it is not delivered by then, its fallback is sent', chain?.due_at.toISOString()]);
    assertAbout(chain?.due_at, Date.parse(created_at) + 60_000, 20_000);
  });

  it('a message of a paused batch waits until the batch is resumed, even before its scheduled time', async () => {
    const { db, account } = timelines;
    const { id, pages } = await buildAcceptedBatch(db, account.workspaceId, [1], { scheduled_at: new Date(Date.now() + 60_000) });
    await pauseBatch(db, account.workspaceId, id);
    assert.deepEqual(await waiting(pages[0]?.ids[0] ?? ''), ['batch_resume', 'The batch is paused', null]);
  });
});
