import assert from 'node:assert/strict';
import * as stuck from '../../../../models/operations/watch/overdue-work.js';
import { signUp } from '../../../../models/operations/accounts/sign-up.js';
import { markMailSent } from '../../../../models/operations/mails/load-mail.js';
import { testConfig } from '../../../support/config.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildDelivery } from '../../../support/rows/deliveries.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { buildSent, reportOf } from '../../../support/rows/messages.js';
import { giveUpOnReports, recordReports } from '../../../support/rows/reports.js';
import { byTest } from '../../../support/by-test.js';

/** The grace of these tests; things are made older than it by SQL. */
const grace = 60;

describe('overdue-work', () => {
  const test = useDatabase({ forEachTest: true, checksBooks: true });
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
  });

  /** Sets a time of one row so many seconds back. */
  const age = (table: string, column: string, id: string, seconds: number) =>
    rows(test.db, `UPDATE ${table} SET ${column} = now() - $2 * interval '1 second' WHERE id = $1`, [id, seconds]);

  it('unwokenGroups finds old reports in the inbox, and whether their group has closed', async () => {
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
    assert.deepEqual(await stuck.unwokenGroups(test.db, grace, found[0]?.groupId), found.slice(1), 'the next page');
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

  it('overdueDeliveries finds deliveries after their time', async () => {
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
    const found = await stuck.overdueDeliveries(test.db, grace);
    assert.deepEqual(
      found.map(({ id, webhook_id }) => [id, webhook_id]),
      [one, two].map(({ id }) => [id, webhook.id]),
    );
    const [first, second] = found;
    assert.deepEqual(await stuck.overdueDeliveries(test.db, grace, first), [second]);
    assert.deepEqual(await stuck.overdueDeliveries(test.db, grace, second), []);
    await rows(test.db, `UPDATE webhooks SET resume_at = now() + interval '1 minute'`);
    assert.deepEqual(await stuck.overdueDeliveries(test.db, grace), [], 'the breaker is open');
  });

  it('takeUnsentMails reserves old unsent mails', async () => {
    const { mailId } = await signUp(
      { db: test.db, config: testConfig() },
      { email: 'a@example.test', password: 'long enough', company_name: 'A', phone: null, country: null },
      byTest,
    );
    assert.deepEqual(await stuck.takeUnsentMails(test.db), []);
    await age('mails', 'look_at', mailId, 1);
    assert.deepEqual(await stuck.takeUnsentMails(test.db), [mailId]);
    assert.deepEqual(await stuck.takeUnsentMails(test.db), [], 'its workflow has the time to try');
    await age('mails', 'look_at', mailId, 1);
    await markMailSent(test.db, mailId);
    assert.deepEqual(await stuck.takeUnsentMails(test.db), []);
  });

  it('lostRetriers finds webhooks with an overdue retrier', async () => {
    const seconds = { looks: grace + 5, due: grace + 5, resumes: null as number | null, ordered: false };
    const cases = [
      ['lost', seconds],
      ['not begun', { ...seconds, looks: null }],
      ['not woken', { ...seconds, looks: -300 }],
      ['behind its first', { ...seconds, looks: -300, ordered: true }],
      ['alive', { ...seconds, looks: grace - 5 }],
      ['not due', { ...seconds, due: -300 }],
      ['breaker open', { ...seconds, resumes: -300 }],
    ] as const;
    const ids = new Map<string, string>();
    for (const [name, { looks, due, resumes, ordered }] of cases) {
      const workspace = await buildWorkspace(test.db);
      const { row } = await buildWebhook(workspace.id, `https://${name.replaceAll(' ', '-')}.example.test/`);
      await buildDelivery(test.db, workspace.id);
      await row.update({ ordered });
      ids.set(row.id, name);
      await rows(
        test.db,
        `UPDATE webhooks SET carrier_looks_at = now() - $2 * interval '1 s', resume_at = now() - $3 * interval '1 s' WHERE id = $1`,
        [row.id, looks, resumes],
      );
      await rows(test.db, `UPDATE deliveries SET carried = true, next_attempt_at = now() - $2 * interval '1 s' WHERE webhook_id = $1`, [
        row.id,
        due,
      ]);
    }
    const found = await stuck.lostRetriers(test.db, grace);
    assert.deepEqual(
      found.map((id) => ids.get(id)),
      ['lost', 'not begun', 'not woken'],
    );
    assert.deepEqual(await stuck.lostRetriers(test.db, grace, found[0]), found.slice(1));
    await rows(test.db, 'UPDATE deliveries SET carried = false');
    assert.deepEqual(await stuck.lostRetriers(test.db, grace), []);
  });
});
