import assert from 'node:assert/strict';
import { pauseBatch } from '../../../models/operations/batches/change-batch.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { acceptedAs, buildClaimed, claimAll, sandboxEverywhere } from '../../support/rows/messages.js';
import { recordHandoffs } from '../../support/rows/reports.js';
import { useTimelines } from './use-timelines.js';

describe('what ends the wait of a message in its timeline', () => {
  const timelines = useTimelines();
  const { app, timelineOf } = timelines;
  const waiting = async (id: string) => {
    const { what, text, until } = (await timelineOf(id)).waiting_for;
    return [what, text.replace(/^.*(; |\. )/, ''), until];
  };

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
    assert.deepEqual(await waiting(id), [
      'report',
      'If it is not delivered by then, its fallback is sent',
      new Date(Date.parse(created_at) + 60_000).toISOString(),
    ]);
  });

  it('a message of a paused batch waits until the batch is resumed, even before its scheduled time', async () => {
    const { db, account } = timelines;
    const { id, pages } = await buildAcceptedBatch(db, account.workspaceId, [1], { scheduled_at: new Date(Date.now() + 60_000) });
    await pauseBatch(db, account.workspaceId, id);
    assert.deepEqual(await waiting(pages[0]?.ids[0] ?? ''), ['batch_resume', 'The batch is paused', null]);
  });
});
