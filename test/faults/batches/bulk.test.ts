import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OutgoingMessage } from '../../../activities/handoff/providers/provider.js';
import { connectTemporal } from '../../../api/outside/temporal.js';
import { type BuiltBatch, buildBatch } from '../../support/rows/batches.js';
import { phones } from '../../support/bulk-requests.js';
import { type Account, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { balanceOf, messageOf, reportOf } from '../../support/rows/messages.js';
import { recordReports } from '../../support/rows/reports.js';
import { Gate, serviceWithBatches, untilStill } from './batch-service.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

describe('a batch', () => {
  const test = serviceWithBatches();

  for (const { verb, status } of [
    { verb: 'pause', status: 'paused' },
    { verb: 'cancel', status: 'cancelled' },
  ]) {
    it(`a batch hands off only calls in progress after the answer to ${verb}`, async () => {
      const account = await test.client.signUp();
      const gate = new Gate();
      test.beforeTaking = () => gate.passed;
      const id = await test.bulk(account, phones(100));
      await until(() => test.calls.length > 0, 'the first round is in flight');
      assert.equal((await test.change(account, id, verb)).status, status);
      const inFlight = (await rows(test.service.db, `SELECT 1 FROM messages WHERE batch_id = $1 AND status_detail = 'sending'`, [id]))
        .length;
      assert.ok(inFlight > 0 && inFlight < 100, `${inFlight} are in flight`);
      const balance = await balanceOf(test.service.db, account.workspaceId);
      assert.equal(
        balance,
        1_000_000 - (verb === 'cancel' ? inFlight : 100) * prices.sms,
        'what was not begun is refunded with the answer',
      );
      gate.open();
      await until(async () => (await test.takenOf(id)).length === inFlight, 'what was in flight is taken');
      if (verb === 'pause') {
        await until(async () => (await test.get(account, id)).counts.delivered === inFlight, 'it is delivered while the batch is paused');
        assert.deepEqual([test.calls.length, (await test.get(account, id)).counts.queued], [inFlight, 100 - inFlight]);
        await test.change(account, id, 'resume');
      }
      const { counts, credits_used } = await test.settled(account, id);
      const delivered = verb === 'cancel' ? inFlight : 100;
      assert.deepEqual([counts.delivered, counts.failed, credits_used], [delivered, 100 - delivered, toCredits(delivered * prices.sms)]);
      assert.equal(new Set(test.calls.map((call) => call.id)).size, test.calls.length, 'each was called for once');
      assert.equal(test.calls.length, delivered);
      assert.equal(await balanceOf(test.service.db, account.workspaceId), 1_000_000 - delivered * prices.sms);
    });
  }

  it('a batch sends each message once when the provider throttles, refuses and loses answers', async () => {
    const account = await test.client.signUp();
    const reactionTo = ({ to }: OutgoingMessage) => ({ 3: 'throttled', 5: 'lost', 7: 'refused', 9: 'away' })[to.at(-1) ?? ''];
    const isFirst = ({ id }: OutgoingMessage) => test.calls.filter((call) => call.id === id).length === 1;
    test.beforeTaking = async (message) => {
      const reaction = reactionTo(message);
      if (reaction === 'refused') return { outcome: 'rejected', error_code: '30007', error_message: 'Message filtered' };
      if (reaction === 'throttled' && isFirst(message)) return { outcome: 'throttled', detail: '429', retryAfterMs: 200 };
      if (reaction === 'away' && isFirst(message)) return { outcome: 'retryable', detail: '503' };
      return undefined;
    };
    test.afterTaking = (message, outcome) =>
      reactionTo(message) === 'lost' && isFirst(message) ? { outcome: 'unknown', detail: 'reset' } : outcome;
    const id = await test.bulk(account, phones(60));
    const { counts, credits_used, status } = await test.settled(account, id);
    assert.deepEqual([status, counts.delivered, counts.failed, credits_used], ['completed', 54, 6, toCredits(54 * prices.sms)]);
    assert.equal(await balanceOf(test.service.db, account.workspaceId), 1_000_000 - 54 * prices.sms);
    const taken = await test.takenOf(id);
    assert.equal(taken.length, 54, 'the provider has each of the others once');
    assert.ok(taken.filter(({ calls: times }) => times > 1).length <= 6, 'only those whose answer was lost were handed over again');
  });

  it('a batch ends correctly with missing, repeated and unordered reports', async () => {
    const account = await test.client.signUp();
    const recipients = ['+15005550002', '+15005550005', '+15005550006', '+15551234567'].flatMap((to) =>
      Array.from({ length: 15 }, () => to),
    );
    const id = await test.bulk(account, recipients, { allow_duplicates: true });
    const { counts } = await test.settled(account, id);
    assert.deepEqual(counts, { queued: 0, sent: 15, delivered: 30, failed: 15, read: 0 });
    const details = await rows(test.service.db, `SELECT DISTINCT status_detail FROM messages WHERE batch_id = $1 AND status = 'sent'`, [
      id,
    ]);
    assert.deepEqual(details, [{ status_detail: 'unknown' }]);
    assert.equal(
      await balanceOf(test.service.db, account.workspaceId),
      1_000_000 - 60 * prices.sms,
      'what failed after the hand-off is not refunded',
    );
  });

  it('a batch delivers events of accepted messages while the provider is unavailable for others', async () => {
    const account = await test.client.signUp();
    const silentNumber = '+15005550002';
    test.beforeTaking = async ({ to }) => (to === silentNumber ? undefined : { outcome: 'retryable', detail: '503' });
    const id = await test.bulk(account, [silentNumber, ...phones(4)]);
    const attemptsOfRest = () => test.calls.filter(({ to }) => to !== silentNumber).length / 4;
    await until(() => attemptsOfRest() >= 5, 'the next attempt is seconds away');
    const [taken] = await rows<{ id: string }>(test.service.db, `SELECT id FROM messages WHERE batch_id = $1 AND status = 'sent'`, [id]);
    const message = await messageOf(test.service.db, taken?.id ?? '');
    const [wake] = await recordReports(test.service.db, [reportOf(message, 'delivered')]);
    assert.ok(wake !== undefined);
    const temporal = connectTemporal(test.service.config);
    await temporal.wake(wake);
    await test.client.messageUntil(account, message.id, ({ status }) => status === 'delivered');
    assert.equal(attemptsOfRest(), 5, 'the report did not wait for that attempt');
    await test.change(account, id, 'cancel');
    assert.equal(await balanceOf(test.service.db, account.workspaceId), 1_000_000 - prices.sms);
    await temporal.close();
  });

  it('a batch shares workers evenly with a later batch, and delays no single message', async () => {
    const pages = 60;
    const [first, second] = [await test.client.signUp(), await test.client.signUp()];
    // Shorter than a slow call: Temporal decides which page is next.
    test.beforeTaking = () => sleep(1_000, undefined);
    const temporal = connectTemporal(test.service.config);
    const begin = async ({ workspaceId }: Account): Promise<BuiltBatch> => {
      const batch = await buildBatch(test.service.db, workspaceId, Array<number>(pages).fill(1));
      await temporal.acceptBatch({ batchId: batch.id, workspaceId, channel: 'sms', traceparent: null });
      await until(async () => (await test.pagesWith(batch, 'Scheduled')) === pages, 'all its pages wait for the workers');
      return batch;
    };
    const [early, late] = [await begin(first), await begin(second)];
    const [begun, looked] = [test.calls.length, 16];
    await until(() => test.calls.length >= begun + looked, 'the next pages are handed off');
    const next = test.calls.slice(begun, begun + looked);
    const shares = [early, late].map((batch) => next.filter((message) => isOf(batch, message)).length);
    assert.ok(Math.min(...shares) >= 6, `of the next ${looked} hand-offs ${shares.join(' and ')} were of the two batches`);

    const gate = new Gate();
    test.beforeTaking = async (message) => (isOf(early, message) || isOf(late, message) ? gate.passed : undefined);
    assert.ok((await untilStill(() => test.calls.length)) < 2 * pages, 'all slots are taken');
    const lone = await test.client.signUp();
    const { id } = await test.client.send(lone);
    await test.client.messageUntil(lone, id, ({ status }) => status === 'delivered');
    gate.open();
    for (const [account, batch] of [[first, early] as const, [second, late] as const]) {
      assert.equal((await test.settled(account, batch.id)).counts.delivered, pages);
    }
    await temporal.close();
  });

  const isOf = ({ pages }: BuiltBatch, { id }: OutgoingMessage) => pages.some(({ ids }) => ids.includes(id));
});
