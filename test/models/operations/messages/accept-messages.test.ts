import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { acceptMessages } from '../../../../models/operations/messages/accept-messages.js';
import { fenceMessages } from '../../../../models/operations/messages/fence-messages.js';
import { insertMessages } from '../../../../models/operations/messages/insert-messages.js';
import { Workspace } from '../../../../models/tables/workspace.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildUndecided, buildWebhook, buildWorkspace, newMessage } from '../../../support/rows/factories.js';

describe('acceptMessages', () => {
  const test = useDatabase({ poolMax: 20, checksBooks: true });

  const balanceOf = async (id: string) => (await Workspace.findByPk(id))?.balance;

  it('a message is charged and queued once for repeated calls', async () => {
    const workspace = await buildWorkspace(test.db, 5_000);
    const message = await buildUndecided(test.db, workspace.id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => acceptMessages(test.db, message.group_id)));
    for (const { accepted } of answers) assert.deepEqual(accepted, [message.id]);
    assert.equal(await balanceOf(workspace.id), 4_000);
    const [stored] = await rows<{ status: string; credits_used: number }>(
      test.db,
      'SELECT status, credits_used FROM messages WHERE id = $1',
      [message.id],
    );
    assert.deepEqual(stored, { status: 'queued', credits_used: 1_000 });
  });

  it('a message that the balance does not pay is removed, and nothing is charged', async () => {
    const workspace = await buildWorkspace(test.db, 999);
    const message = await buildUndecided(test.db, workspace.id);
    assert.deepEqual((await acceptMessages(test.db, message.group_id)).accepted, []);
    assert.deepEqual((await acceptMessages(test.db, message.group_id)).accepted, [], 'and says so again');
    assert.equal(await balanceOf(workspace.id), 999);
    assert.deepEqual(await rows(test.db, 'SELECT id FROM messages WHERE id = $1', [message.id]), []);
    assert.deepEqual(await rows(test.db, 'SELECT id FROM message_groups WHERE id = $1', [message.group_id]), []);
  });

  it('the balance decides how many of 100 parallel sends are accepted', async () => {
    const workspace = await buildWorkspace(test.db, 25_000);
    const messages = await Promise.all(Array.from({ length: 100 }, () => buildUndecided(test.db, workspace.id)));
    const answers = await Promise.all(messages.map(({ group_id }) => acceptMessages(test.db, group_id)));
    assert.equal(answers.filter(({ accepted }) => accepted.length === 1).length, 25);
    assert.equal(await balanceOf(workspace.id), 0);
  });

  it('each message of a group is accepted by itself, in order while credits last', async () => {
    const rich = await buildWorkspace(test.db, 10_000);
    const poor = await buildWorkspace(test.db, 1_500);
    const groupId = uuidv7();
    const messageOf = (workspace_id: string, cost: number) => newMessage({ id: uuidv7(), workspace_id, group_id: groupId, cost });
    const messages = [
      messageOf(rich.id, 1000),
      messageOf(poor.id, 1000),
      messageOf(poor.id, 1000),
      messageOf(poor.id, 500),
      messageOf(rich.id, 2000),
    ];
    await insertMessages(test.db, { groupId, workflowId: 'test', messages });
    const { accepted } = await acceptMessages(test.db, groupId);
    const expected = [messages[0], messages[1], messages[3], messages[4]].map((message) => message?.id);
    assert.deepEqual(new Set(accepted), new Set(expected));
    assert.equal(await balanceOf(rich.id), 7_000);
    assert.equal(await balanceOf(poor.id), 0);
  });

  it('a group starts at once unless all its messages are scheduled, and then with the first of them', async () => {
    const { id: workspace_id } = await buildWorkspace(test.db, 10_000);
    const [sooner, later] = [new Date(Date.now() + 60_000), new Date(Date.now() + 120_000)];
    const startOf = async (times: (Date | null)[]) => {
      const groupId = uuidv7();
      const messages = times.map((scheduled_at) => newMessage({ id: uuidv7(), workspace_id, group_id: groupId, scheduled_at }));
      await insertMessages(test.db, { groupId, workflowId: 'test', messages });
      return (await acceptMessages(test.db, groupId)).scheduledAt;
    };
    assert.deepEqual([await startOf([sooner, null]), await startOf([later, sooner])], [null, sooner]);
  });

  it('an event and its deliveries are written only for subscribed webhooks', async () => {
    const workspace = await buildWorkspace(test.db);
    const silent = await buildWorkspace(test.db);
    const active = await buildWebhook(workspace.id, 'https://one.example.test/');
    const paused = await buildWebhook(workspace.id, 'https://two.example.test/', { is_active: false });
    const [message, unheard] = [
      await buildUndecided(test.db, workspace.id, { metadata: { b: 1, a: [1.5] } }),
      await buildUndecided(test.db, silent.id),
    ];
    await acceptMessages(test.db, message.group_id);
    await acceptMessages(test.db, unheard.group_id);
    const deliveries = await rows<{ webhook_id: string; status: string; body: string }>(
      test.db,
      'SELECT d.webhook_id, d.status, e.body FROM deliveries d JOIN events e ON e.id = d.event_id ORDER BY d.status DESC',
    );
    assert.deepEqual(
      deliveries.map(({ webhook_id, status }) => [webhook_id, status]),
      [
        [active.row.id, 'pending'],
        [paused.row.id, 'held'],
      ],
    );
    const body = JSON.parse(deliveries[0]?.body ?? '');
    assert.equal(body.event, 'message.queued');
    assert.deepEqual(body.data, {
      message_id: message.id,
      channel: 'sms',
      recipient: '+15551234567',
      status: 'queued',
      credits_used: 1,
      metadata: { b: 1, a: [1.5] },
    });
  });

  it('a message and its ledger entry are the same with and without a webhook', async () => {
    const [told, untold] = [await buildWorkspace(test.db, 5_000), await buildWorkspace(test.db, 5_000)];
    await buildWebhook(told.id, 'https://one.example.test/');
    const traces = [];
    for (const workspace of [told, untold]) {
      const { id, group_id } = await buildUndecided(test.db, workspace.id, { cost: 2_000 });
      await acceptMessages(test.db, group_id);
      const [message] = await rows(
        test.db,
        "SELECT to_jsonb(m) - '{id,group_id,workspace_id,created_at}'::text[] AS m FROM messages m WHERE id = $1",
        [id],
      );
      const sql = 'SELECT kind, amount, balance_after, description FROM credit_entries WHERE reference = $1';
      traces.push({ message, entries: await rows(test.db, sql, [id]) });
    }
    assert.deepEqual(traces[0], traces[1]);
    assert.deepEqual(traces[0]?.entries, [{ kind: 'debit', amount: -2_000, balance_after: 3_000, description: '1 sms message' }]);
  });

  it('a message is either fenced or accepted when both happen at the same time', async () => {
    const workspace = await buildWorkspace(test.db, 50_000);
    const messages = await Promise.all(Array.from({ length: 40 }, () => buildUndecided(test.db, workspace.id)));
    const outcomes = await Promise.all(
      messages.map(async ({ id, group_id }) => {
        const [fenced, { accepted }] = await Promise.all([fenceMessages(test.db, [id]), acceptMessages(test.db, group_id)]);
        return fenced.length + accepted.length;
      }),
    );
    assert.deepEqual(new Set(outcomes), new Set([1]));
  });
});
