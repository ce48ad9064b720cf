import assert from 'node:assert/strict';
import { callLeaseSeconds } from '../../../../models/operations/handoff/uncertain-handoffs.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildUndecided, buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import {
  acceptedAs,
  balanceOf,
  buildClaimed,
  buildQueuedGroup,
  buildSent,
  claimAll,
  eventsOf,
  messageOf,
  routedTo,
  sandboxEverywhere,
  statusOf,
} from '../../../support/rows/messages.js';
import { recordHandoffs } from '../../../support/rows/reports.js';

const past = () => new Date(Date.now() - 1_000);
const soon = () => new Date(Date.now() + 3_600_000);

describe('claimHandoffs', () => {
  const test = useDatabase({ checksBooks: true });
  let workspaceId: string;
  before(async () => {
    workspaceId = (await buildWorkspace(test.db, 1_000_000)).id;
    await buildWebhook(workspaceId, 'https://one.example.test/');
  });

  const claim = (groupId: string, choices = sandboxEverywhere) => claimAll(test.db, groupId, choices);
  const attemptsOf = (id: string) =>
    rows(test.db, 'SELECT number, provider, outcome, finished_at FROM send_attempts WHERE message_id = $1 ORDER BY number', [id]);

  it('a claim writes an open attempt for each queued message of a group', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, workspaceId, [
      { content: { text: 'one' }, reference: 'r' },
      { channel: 'email', to: 'a@example.test' },
    ]);
    const claims = await claim(groupId, routedTo({ sms: 'carrier', whatsapp: 'carrier', email: 'mailer' }));
    assert.deepEqual(
      claims.map(({ id, attempt, uncertain }) => ({ id, attempt, uncertain })),
      ids.map((id) => ({ id, attempt: 1, uncertain: false })),
    );
    const [first] = claims;
    assert.ok(first);
    const { workspace_id, channel, to, content, reference } = first;
    assert.deepEqual(
      { workspace_id, channel, to, content, reference },
      { workspace_id: workspaceId, channel: 'sms', to: '+15551234567', content: { text: 'one' }, reference: 'r' },
    );
    for (const [index, provider] of ['carrier', 'mailer'].entries()) {
      assert.equal(await statusOf(test.db, ids[index] ?? ''), 'queued/sending');
      assert.deepEqual(await attemptsOf(ids[index] ?? ''), [{ number: 1, provider, outcome: null, finished_at: null }]);
    }
  });

  it('a message that is undecided, handed off or failed is not claimed', async () => {
    const [undecided, sent] = [await buildUndecided(test.db, workspaceId), await buildSent(test.db, workspaceId)];
    for (const { group_id } of [undecided, sent]) assert.deepEqual(await claim(group_id), []);
    assert.deepEqual(await attemptsOf(undecided.id), []);
    assert.equal((await attemptsOf(sent.id)).length, 1);
  });

  it('a scheduled message is claimed at its time and not before', async () => {
    const { id, group_id } = await buildQueued(test.db, workspaceId, { status_detail: 'scheduled', scheduled_at: soon() });
    assert.deepEqual(await claim(group_id), []);
    assert.deepEqual(await attemptsOf(id), []);
    assert.equal(await statusOf(test.db, id), 'queued/scheduled');
    await rows(test.db, 'UPDATE messages SET scheduled_at = now() WHERE id = $1', [id]);
    assert.equal((await claim(group_id)).length, 1);
  });

  for (const [outcome, uncertain] of [
    ['retryable', false],
    ['throttled', false],
    ['unknown', true],
  ] as const) {
    it(`the next attempt is ${uncertain ? 'uncertain' : 'certain'} when the last outcome was ${outcome}`, async () => {
      const { id, attempt } = await buildClaimed(test.db, workspaceId);
      await recordHandoffs(test.db, [{ id, attempt, provider: 'sandbox', outcome, detail: 'why' }]);
      const [again] = await claim((await messageOf(test.db, id)).group_id);
      assert.deepEqual([again?.attempt, again?.uncertain], [2, uncertain]);
    });
  }

  it('all attempts are uncertain after the process died during one', async () => {
    const { id } = await buildClaimed(test.db, workspaceId);
    const { group_id } = await messageOf(test.db, id);
    const [second] = await claim(group_id);
    assert.deepEqual([second?.attempt, second?.uncertain], [2, true]);
    await recordHandoffs(test.db, [{ id, attempt: 2, provider: 'sandbox', outcome: 'retryable', detail: 'why' }]);
    const [third] = await claim(group_id);
    assert.deepEqual([third?.attempt, third?.uncertain], [3, true], 'the first call may still have reached the provider');
  });

  it('a message that has expired fails and is refunded, with its event', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, workspaceId, [{ expires_at: past() }, { expires_at: soon() }]);
    const balance = await balanceOf(test.db, workspaceId);
    const claims = await claim(groupId);
    assert.deepEqual(
      claims.map(({ id }) => id),
      ids.slice(1),
    );
    const expired = await messageOf(test.db, ids[0] ?? '');
    assert.deepEqual(
      [expired.status, expired.status_detail, expired.error_code, expired.credits_used],
      ['failed', 'expired', 'expired', 0],
    );
    assert.deepEqual(await eventsOf(test.db, expired.id), ['queued', 'failed']);
    assert.equal(await balanceOf(test.db, workspaceId), (balance ?? 0) + 1_000);
  });

  it('a message that may be handed off does not expire', async () => {
    const { id } = await buildClaimed(test.db, workspaceId);
    await rows(test.db, `UPDATE messages SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    const [again] = await claim((await messageOf(test.db, id)).group_id);
    assert.equal(again?.uncertain, true);
    assert.equal(await statusOf(test.db, id), 'queued/sending');
  });

  it('a message is claimed by one of two callers at once', async () => {
    const waits = { leaseSeconds: callLeaseSeconds, unknownSeconds: 120, repeatable: [] };
    const leased = (groupId: string) => claimAll(test.db, groupId, sandboxEverywhere, { waits });
    for (let round = 0; round < 15; round += 1) {
      const { group_id, id } = await buildQueued(test.db, workspaceId);
      const answers = await Promise.allSettled([leased(group_id), leased(group_id)]);
      // A claim that waited for the other's locks does not see its attempt yet. Then the key of the attempts refuses the second one.
      for (const answer of answers) if (answer.status === 'rejected') assert.equal(answer.reason.parent?.constraint, 'send_attempts_pkey');
      const claims = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      assert.deepEqual(
        claims.map(({ attempt, uncertain }) => ({ attempt, uncertain })),
        [{ attempt: 1, uncertain: false }],
      );
      assert.equal((await attemptsOf(id)).length, 1);
      await recordHandoffs(
        test.db,
        claims.map((taken) => acceptedAs(taken)),
      );
    }
  });
});
