import assert from 'node:assert/strict';
import { countGroupWork } from '../../../../models/operations/messages/count-group-work.js';
import type { HandoffResult } from '../../../../models/operations/handoff/record-handoffs.js';
import { rows } from '../../../support/database.js';
import { buildWebhook } from '../../../support/rows/factories.js';
import { workspaceForEach } from '../../../support/for-each.js';
import {
  acceptedAs,
  balanceOf,
  buildClaimed,
  buildQueuedGroup,
  claimAll,
  eventsOf,
  ledgerOf,
  messageOf,
  reportOf,
  sandboxEverywhere,
  statusOf,
} from '../../../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';

describe('recordHandoffs', () => {
  const test = workspaceForEach();
  beforeEach(() => buildWebhook(test.workspaceId, 'https://one.example.test/'));

  const attemptOf = async (id: string, number = 1) =>
    (
      await rows(
        test.db,
        'SELECT outcome, provider_message_id, detail, finished_at IS NOT NULL AS finished FROM send_attempts WHERE message_id = $1 AND number = $2',
        [id, number],
      )
    )[0];
  const resultOf = (id: string, outcome: 'throttled' | 'retryable' | 'unknown'): HandoffResult => ({
    id,
    attempt: 1,
    provider: 'sandbox',
    outcome,
    detail: 'connection reset',
  });
  const rejected = (id: string): HandoffResult => ({
    id,
    attempt: 1,
    provider: 'sandbox',
    outcome: 'rejected',
    error_code: '30008',
    error_message: 'Unknown destination',
    provider_error_code: '21211',
  });

  it('an accepted message is moved to sent once, with one event', async () => {
    const claim = await buildClaimed(test.db, test.workspaceId);
    const result = acceptedAs(claim, 'prov-1');
    await recordHandoffs(test.db, [result]);
    const first = await messageOf(test.db, claim.id);
    await recordHandoffs(test.db, [result]);
    assert.deepEqual(await messageOf(test.db, claim.id), first);
    assert.deepEqual(
      [first.status, first.status_detail, first.provider, first.provider_message_id],
      ['sent', 'awaiting_report', 'sandbox', 'prov-1'],
    );
    assert.ok(first.sent_at);
    assert.deepEqual(await eventsOf(test.db, claim.id), ['queued', 'sent']);
    assert.deepEqual(await attemptOf(claim.id), { outcome: 'accepted', provider_message_id: 'prov-1', detail: null, finished: true });
  });

  it('a rejected message fails and is refunded once, and keeps the code of the provider', async () => {
    const { id } = await buildClaimed(test.db, test.workspaceId);
    for (const _ of [1, 2]) await recordHandoffs(test.db, [rejected(id)]);
    const { status, status_detail, error_code, error_message, provider_error_code, provider_message_id, credits_used } = await messageOf(
      test.db,
      id,
    );
    assert.deepEqual(
      { status, status_detail, error_code, error_message, provider_error_code, provider_message_id, credits_used },
      {
        status: 'failed',
        status_detail: 'rejected',
        error_code: '30008',
        error_message: 'Unknown destination',
        provider_error_code: '21211',
        provider_message_id: null,
        credits_used: 0,
      },
    );
    assert.deepEqual(await ledgerOf(test.db, test.workspaceId), ['grant 100000', 'debit -1000', 'refund 1000']);
    assert.deepEqual(await eventsOf(test.db, id), ['queued', 'failed']);
  });

  for (const [outcome, detail] of [
    ['retryable', 'accepted'],
    ['throttled', 'accepted'],
    ['unknown', 'sending'],
  ] as const) {
    it(`a queued message is ${detail === 'accepted' ? 'free again' : 'still claimed'} after the outcome ${outcome}`, async () => {
      const { id } = await buildClaimed(test.db, test.workspaceId);
      await recordHandoffs(test.db, [resultOf(id, outcome)]);
      assert.equal(await statusOf(test.db, id), `queued/${detail}`);
      assert.deepEqual(await attemptOf(id), { outcome, provider_message_id: null, detail: 'connection reset', finished: true });
      assert.equal(await balanceOf(test.db, test.workspaceId), 99_000);
    });
  }

  it('a round records every outcome', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}, {}, {}]);
    const [one, two, three, four] = ids as [string, string, string, string];
    await claimAll(test.db, groupId, sandboxEverywhere);
    await recordHandoffs(test.db, [
      acceptedAs({ id: one, attempt: 1 }),
      rejected(two),
      resultOf(three, 'throttled'),
      resultOf(four, 'unknown'),
    ]);
    const states = await Promise.all(ids.map((id) => statusOf(test.db, id)));
    assert.deepEqual(states, ['sent/awaiting_report', 'failed/rejected', 'queued/accepted', 'queued/sending']);
    assert.deepEqual(await countGroupWork(test.db, groupId), { open: 3, queued: 2, deliveries: 6, reports: false, paused: false });
  });

  it('a round without outcomes changes nothing', async () => {
    const { id } = await buildClaimed(test.db, test.workspaceId);
    await recordHandoffs(test.db, []);
    assert.equal(await statusOf(test.db, id), 'queued/sending');
  });

  it('a report that arrived before the id of its message is applied once the id is known', async () => {
    const claim = await buildClaimed(test.db, test.workspaceId);
    const early = reportOf({ id: claim.id, provider_message_id: 'prov-early' }, 'delivered', { message_id: null });
    assert.deepEqual(await recordReports(test.db, [early]), [], 'nobody can be woken yet');
    await recordHandoffs(test.db, [acceptedAs(claim, 'prov-early')]);
    const { group_id } = await messageOf(test.db, claim.id);
    assert.equal((await countGroupWork(test.db, group_id)).reports, true);
    assert.equal((await applyReports(test.db, group_id)).open, 0);
    assert.equal(await statusOf(test.db, claim.id), 'delivered/delivered');
  });

  it('an answer that arrives after a report keeps the status of the report', async () => {
    for (const late of ['accepted', 'rejected'] as const) {
      const claim = await buildClaimed(test.db, test.workspaceId);
      const report = reportOf({ id: claim.id, provider_message_id: `prov-${late}` }, 'delivered');
      for (const { groupId } of await recordReports(test.db, [report])) await applyReports(test.db, groupId);
      await recordHandoffs(test.db, [late === 'accepted' ? acceptedAs(claim, `prov-${late}`) : rejected(claim.id)]);
      assert.equal(await statusOf(test.db, claim.id), 'delivered/delivered');
      assert.deepEqual(await eventsOf(test.db, claim.id), ['queued', 'sent', 'delivered']);
    }
    assert.equal(await balanceOf(test.db, test.workspaceId), 98_000);
  });
});
