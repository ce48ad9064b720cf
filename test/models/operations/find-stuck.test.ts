import assert from 'node:assert/strict';
import * as stuck from '../../../models/operations/find-stuck.js';
import { claimHandoffs } from '../../../models/operations/claim-handoffs.js';
import { giveUpOnReports } from '../../../models/operations/give-up.js';
import { recordReports } from '../../../models/operations/record-reports.js';
import { signUp } from '../../../models/operations/sign-up.js';
import { markMailSent } from '../../../models/operations/load-mail.js';
import { testConfig } from '../../support/config.js';
import { freshDatabase, rows, type TestDatabase } from '../../support/database.js';
import { buildDelivery } from '../../support/deliveries.js';
import { buildQueued, buildUndecided, buildWebhook, buildWorkspace } from '../../support/factories.js';
import { assertBooks } from '../../support/invariants.js';
import { buildSent, messageOf, reportOf, sandboxEverywhere } from '../../support/messages.js';

/** The grace of these tests; things are made older than it by SQL. */
const grace = 60;

describe('find-stuck', () => {
  let test: TestDatabase;
  let workspaceId: string;
  beforeEach(async () => {
    test = await freshDatabase();
    workspaceId = (await buildWorkspace(test.db)).id;
  });
  afterEach(async () => {
    await assertBooks(test.db);
    await test.drop();
  });

  /** Sets a time of one row so many seconds back. */
  const age = (table: string, column: string, id: string, seconds: number) =>
    rows(test.db, `UPDATE ${table} SET ${column} = now() - $2 * interval '1 second' WHERE id = $1`, [id, seconds]);

  it('fenceStale decides against undecided messages after their grace, not before, and against nothing else', async () => {
    const [fresh, stale, queued] = [
      await buildUndecided(test.db, workspaceId),
      await buildUndecided(test.db, workspaceId),
      await buildQueued(test.db, workspaceId),
    ];
    await age('messages', 'created_at', fresh.id, grace - 5);
    for (const { id } of [stale, queued]) await age('messages', 'created_at', id, grace + 5);
    assert.equal(await stuck.fenceStale(test.db, grace), 1);
    assert.equal(await stuck.fenceStale(test.db, grace), 0);
    assert.deepEqual(
      (await rows<{ id: string }>(test.db, 'SELECT id FROM messages ORDER BY id')).map(({ id }) => id),
      [fresh.id, queued.id],
    );
  });

  it('unwokenGroups finds reports that lie in the inbox after their grace, and says whether the group has closed', async () => {
    const [open, closed, fresh, waiting] = [
      await buildSent(test.db, workspaceId),
      await buildSent(test.db, workspaceId),
      await buildSent(test.db, workspaceId),
      await buildSent(test.db, workspaceId),
    ];
    await giveUpOnReports(test.db, closed.group_id);
    const reports = [open, closed, fresh].map((message) => reportOf(message, 'delivered'));
    await recordReports(test.db, [...reports, reportOf({ id: waiting.id, provider_message_id: 'nobody' }, 'sent')]);
    await rows(test.db, `UPDATE delivery_reports SET received_at = now() - $1 * interval '1 second' WHERE message_id IS DISTINCT FROM $2`, [
      grace + 5,
      fresh.id,
    ]);
    const found = await stuck.unwokenGroups(test.db, grace);
    const expected = [open, closed].map(({ group_id }) => ({
      groupId: group_id,
      workflowId: `msg:${group_id}`,
      late: group_id === closed.group_id,
    }));
    assert.deepEqual(
      found.toSorted((a, b) => a.groupId.localeCompare(b.groupId)),
      expected,
    );
  });

  it('undrivenGroups finds queued messages that nobody tried to hand off lately', async () => {
    const build = (overrides = {}) => buildQueued(test.db, workspaceId, overrides);
    const [fresh, old, tried, scheduled, due, sent] = [
      await build(),
      await build(),
      await build(),
      await build({ scheduled_at: new Date(Date.now() + 60_000) }),
      await build({ scheduled_at: new Date(Date.now() - (grace + 5) * 1000) }),
      await buildSent(test.db, workspaceId),
    ];
    await age('messages', 'created_at', fresh.id, grace - 5);
    for (const { id } of [old, tried, scheduled, sent]) await age('messages', 'created_at', id, grace + 5);
    await claimHandoffs(test.db, tried.group_id, sandboxEverywhere);
    const groups = async () => new Set((await stuck.undrivenGroups(test.db, grace)).map(({ groupId }) => groupId));
    assert.deepEqual(await groups(), new Set([old.group_id, due.group_id]));
    await rows(test.db, `UPDATE send_attempts SET started_at = now() - $2 * interval '1 second' WHERE message_id = $1`, [
      tried.id,
      grace + 5,
    ]);
    assert.deepEqual(await groups(), new Set([old.group_id, due.group_id, tried.group_id]), 'the attempt is long ago too');
  });

  it('overdueDeliveries finds what should have been attempted', async () => {
    const { row: webhook } = await buildWebhook(workspaceId, 'https://one.example.test/');
    const [one, two, fresh, held] = [
      await buildDelivery(test.db, workspaceId),
      await buildDelivery(test.db, workspaceId),
      await buildDelivery(test.db, workspaceId),
      await buildDelivery(test.db, workspaceId),
    ];
    await age('deliveries', 'next_attempt_at', fresh.id, grace - 5);
    for (const { id } of [one, two, held]) await age('deliveries', 'next_attempt_at', id, grace + 5);
    await rows(test.db, `UPDATE deliveries SET status = 'held' WHERE id = $1`, [held.id]);
    assert.deepEqual(
      await stuck.overdueDeliveries(test.db, grace),
      [one, two].map(({ id }) => ({ id, webhook_id: webhook.id })),
    );
  });

  it('unsentMails finds mails that were not sent after their grace', async () => {
    const { mailId } = await signUp(
      { db: test.db, config: testConfig() },
      { email: 'a@example.test', password: 'long enough', company_name: 'A', phone: null, country: null },
    );
    await age('mails', 'created_at', mailId, grace - 5);
    assert.deepEqual(await stuck.unsentMails(test.db, grace), []);
    await age('mails', 'created_at', mailId, grace + 5);
    assert.deepEqual(await stuck.unsentMails(test.db, grace), [mailId]);
    await markMailSent(test.db, mailId);
    assert.deepEqual(await stuck.unsentMails(test.db, grace), []);
  });

  it('forgottenGroups finds groups that wait for reports longer than any workflow does', async () => {
    const [fresh, old, resent, closed, queued] = [
      await buildSent(test.db, workspaceId),
      await buildSent(test.db, workspaceId),
      await buildSent(test.db, workspaceId),
      await buildSent(test.db, workspaceId),
      await buildQueued(test.db, workspaceId),
    ];
    await giveUpOnReports(test.db, closed.group_id);
    for (const { id, group_id } of [fresh, old, closed, resent, queued]) {
      await age('message_groups', 'created_at', group_id, id === fresh.id ? grace - 5 : grace + 5);
      if (id !== resent.id) await age('messages', 'sent_at', id, grace + 5);
    }
    assert.deepEqual(await stuck.forgottenGroups(test.db, grace), [old.group_id]);
    assert.equal((await messageOf(test.db, old.id)).status, 'sent', 'finding changes nothing');
  });
});
