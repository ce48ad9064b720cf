import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { acceptedAs, buildClaimed, buildSent, eventsOf, messageOf, reportOf, statusOf } from '../../../support/rows/messages.js';
import { applyReports, giveUpOnReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';

describe('recordReports', () => {
  const test = useDatabase({ poolMax: 20, checksBooks: true });
  let workspaceId: string;
  before(async () => {
    workspaceId = (await buildWorkspace(test.db, 1_000_000)).id;
    await buildWebhook(workspaceId, 'https://one.example.test/');
  });

  const inbox = (providerMessageId: string) =>
    rows(
      test.db,
      'SELECT status, message_id, outcome, applied_at IS NOT NULL AS applied FROM delivery_reports WHERE provider_message_id = $1 ORDER BY id',
      [providerMessageId],
    );
  const wakeOf = (group_id: string, late = false) => ({ groupId: group_id, workflowId: `msg:${group_id}`, late });

  it('a report is stored with the words of the provider, and wakes the group of its message', async () => {
    const message = await buildSent(test.db, workspaceId);
    const occurred_at = new Date('2027-01-01T00:00:00.123Z');
    const raw = '{"status":"failed", "code":30005}';
    const wakes = await recordReports(test.db, [reportOf(message, 'failed', { occurred_at, raw, provider_error_code: '30008' })]);
    assert.deepEqual(wakes, [wakeOf(message.group_id)]);
    const stored = await rows(
      test.db,
      'SELECT raw, occurred_at, provider_error_code, message_id, outcome FROM delivery_reports WHERE message_id = $1',
      [message.id],
    );
    assert.deepEqual(stored, [{ raw, occurred_at, provider_error_code: '30008', message_id: message.id, outcome: null }]);
    assert.equal(await statusOf(test.db, message.id), 'sent/awaiting_report', 'the inbox is not the truth yet');
  });

  it('a group is woken once for many reports, and again after it has read them', async () => {
    const message = await buildSent(test.db, workspaceId, { channel: 'whatsapp' });
    const wakes = await Promise.all(
      (['sent', 'delivered', 'sent'] as const).map((status) => recordReports(test.db, [reportOf(message, status)])),
    );
    assert.deepEqual(wakes.flat(), [wakeOf(message.group_id)]);
    await applyReports(test.db, message.group_id);
    assert.deepEqual(
      await recordReports(test.db, [reportOf(message, 'failed')]),
      [wakeOf(message.group_id, true)],
      'closed by then, so it goes the late way',
    );
  });

  it('a repeated report is stored once', async () => {
    const message = await buildSent(test.db, workspaceId);
    const report = reportOf(message, 'delivered');
    const wakes = await Promise.all(Array.from({ length: 5 }, () => recordReports(test.db, [report, report])));
    assert.equal(wakes.flat().length, 1);
    await applyReports(test.db, message.group_id);
    assert.deepEqual(await recordReports(test.db, [report]), [], 'nothing new, nobody is woken');
    assert.deepEqual(await inbox(report.provider_message_id), [
      { status: 'delivered', message_id: message.id, outcome: 'applied', applied: true },
    ]);
    assert.deepEqual(await eventsOf(test.db, message.id), ['queued', 'sent', 'delivered']);
  });

  it('a report for an unknown id is kept, and wakes no group', async () => {
    const report = reportOf({ id: uuidv7(), provider_message_id: uuidv7() }, 'delivered');
    assert.deepEqual(await recordReports(test.db, [report]), []);
    assert.deepEqual(await inbox(report.provider_message_id), [{ status: 'delivered', message_id: null, outcome: null, applied: false }]);
  });

  it('a report is matched by the id that the provider echoes, before its own id is known', async () => {
    const { id } = await buildClaimed(test.db, workspaceId);
    const { group_id } = await messageOf(test.db, id);
    const report = reportOf({ id, provider_message_id: 'prov-echo' }, 'delivered');
    assert.deepEqual(await recordReports(test.db, [report]), [wakeOf(group_id)]);
    await applyReports(test.db, group_id);
    const { status, provider, provider_message_id, sent_at, delivered_at } = await messageOf(test.db, id);
    assert.deepEqual(
      { status, provider, provider_message_id },
      { status: 'delivered', provider: 'sandbox', provider_message_id: 'prov-echo' },
    );
    assert.deepEqual([sent_at, delivered_at], [report.occurred_at, report.occurred_at]);
    assert.deepEqual(await eventsOf(test.db, id), ['queued', 'sent', 'delivered']);
  });

  it('an echoed id of a message that another provider has is ignored', async () => {
    const queued = await buildQueued(test.db, workspaceId);
    const claimed = await buildClaimed(test.db, workspaceId);
    const sent = await buildSent(test.db, workspaceId);
    const hostile = [
      reportOf({ id: queued.id, provider_message_id: 'none-1' }, 'delivered'),
      reportOf({ id: claimed.id, provider_message_id: 'none-2' }, 'delivered', { provider: 'other' }),
      reportOf(sent, 'failed', { provider: 'other' }),
      reportOf({ id: sent.id, provider_message_id: 'none-3' }, 'failed'),
    ];
    assert.deepEqual(await recordReports(test.db, hostile), []);
    for (const { group_id } of [queued, await messageOf(test.db, claimed.id), sent]) await applyReports(test.db, group_id);
    assert.deepEqual(await Promise.all([queued, claimed, sent].map(({ id }) => statusOf(test.db, id))), [
      'queued/accepted',
      'queued/sending',
      'sent/awaiting_report',
    ]);
    await recordHandoffs(test.db, [acceptedAs(claimed)]);
  });

  it('a report is matched by the id of the provider rather than by the echoed one', async () => {
    const [right, wrong] = [await buildSent(test.db, workspaceId), await buildClaimed(test.db, workspaceId)];
    await recordReports(test.db, [{ ...reportOf(right, 'delivered'), message_id: wrong.id }]);
    assert.deepEqual(
      (await inbox(right.provider_message_id ?? '')).map((row) => row.message_id),
      [right.id],
    );
  });

  it('a report with the id of a message of another workspace does not change that', async () => {
    const victim = await buildWorkspace(test.db, 1_000_000);
    for (const wrong of [await buildClaimed(test.db, victim.id), await buildSent(test.db, victim.id)]) {
      const earlier = await messageOf(test.db, wrong.id);
      const own = await buildSent(test.db, workspaceId);
      await recordReports(test.db, [{ ...reportOf(own, 'failed'), message_id: wrong.id }]);
      for (const { group_id } of [own, earlier]) await applyReports(test.db, group_id);
      assert.equal(await statusOf(test.db, own.id), 'failed/undeliverable');
      assert.deepEqual(await messageOf(test.db, wrong.id), earlier);
    }
  });

  it('a callback wakes the group of each of its reports, and marks the closed groups', async () => {
    const [open, closed] = [await buildSent(test.db, workspaceId), await buildSent(test.db, workspaceId)];
    await giveUpOnReports(test.db, closed.group_id);
    const wakes = await recordReports(test.db, [
      reportOf(open, 'delivered'),
      reportOf(closed, 'delivered'),
      reportOf({ id: uuidv7(), provider_message_id: uuidv7() }, 'sent'),
    ]);
    const byId = (a: { groupId: string }, b: { groupId: string }) => a.groupId.localeCompare(b.groupId);
    assert.deepEqual(wakes.toSorted(byId), [wakeOf(open.group_id), wakeOf(closed.group_id, true)].toSorted(byId));
  });

  it('a read receipt of a closed group is applied at once, without a workflow', async () => {
    const message = await buildSent(test.db, workspaceId, { channel: 'whatsapp' });
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    await applyReports(test.db, message.group_id);
    assert.deepEqual(await recordReports(test.db, [reportOf(message, 'read')]), []);
    assert.equal(await statusOf(test.db, message.id), 'read/read');
    assert.deepEqual(await eventsOf(test.db, message.id), ['queued', 'sent', 'delivered'], 'read has no event');
  });

  it('a status that only says that the carrier has the message is stored while its hand-off is unknown', async () => {
    const taken = (message: { id: string; provider_message_id: string | null }) => ({
      ...reportOf(message, 'sent'),
      message_id: message.id,
      isOnlyTaken: true as const,
    });
    const sent = await buildSent(test.db, workspaceId);
    const claimed = await buildClaimed(test.db, workspaceId);
    const { group_id } = await messageOf(test.db, claimed.id);
    const open = { id: claimed.id, provider_message_id: 'prov-taken' };
    const foreign = { ...taken({ id: claimed.id, provider_message_id: 'prov-foreign' }), provider: 'other' };
    const unknown = { ...taken({ id: uuidv7(), provider_message_id: 'prov-unknown' }), message_id: null };
    const reports = [taken(sent), taken(open), foreign, unknown];
    assert.deepEqual(await recordReports(test.db, reports), [wakeOf(group_id)]);
    for (const id of [sent.provider_message_id ?? '', 'prov-foreign', 'prov-unknown']) assert.deepEqual(await inbox(id), []);
    await applyReports(test.db, group_id);
    assert.equal(await statusOf(test.db, claimed.id), 'sent/awaiting_report');
    assert.deepEqual(await recordReports(test.db, [...reports, reportOf(open, 'sent')]), [], 'all is known');
    await recordHandoffs(test.db, [acceptedAs(claimed)]);
    assert.deepEqual(await eventsOf(test.db, claimed.id), ['queued', 'sent']);
    assert.equal((await messageOf(test.db, claimed.id)).provider_message_id, 'prov-taken');
  });

  it('a callback without reports wakes no group', async () => {
    assert.deepEqual(await recordReports(test.db, []), []);
  });
});
