import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import type { NewMessage } from '../../../../models/tables/message.js';
import { insertMessages } from '../../../../models/operations/messages/insert-messages.js';
import { listMessages } from '../../../../models/operations/messages/list-messages.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildUndecided, buildWebhook, buildWorkspace, newMessage } from '../../../support/rows/factories.js';
import { balanceOf, noFilters } from '../../../support/rows/messages.js';

describe('insertMessages', () => {
  const test = useDatabase({ poolMax: 20, checksBooks: true });

  const insert = (overrides: Partial<NewMessage> & Pick<NewMessage, 'workspace_id'>) => {
    const id = uuidv7();
    return insertMessages(test.db, { groupId: id, workflowId: `msg:${id}`, messages: [newMessage({ id, group_id: id, ...overrides })] });
  };
  const count = async (table: 'messages' | 'message_groups') =>
    (await rows<{ n: number }>(test.db, `SELECT count(*) AS n FROM ${table}`))[0]?.n;

  it('a new message is stored undecided, not charged and not shown', async () => {
    const workspace = await buildWorkspace(test.db, 5_000);
    await buildWebhook(workspace.id, 'https://one.example.test/');
    const message = await buildUndecided(test.db, workspace.id, { status: 'queued' });
    assert.equal(message.status, 'accepting');
    assert.equal(message.credits_used, 0);
    assert.equal(await balanceOf(test.db, workspace.id), 5_000);
    assert.deepEqual(await rows(test.db, 'SELECT id FROM events WHERE workspace_id = $1', [workspace.id]), []);
    assert.equal((await listMessages(test.db, workspace.id, noFilters, { page: 1, limit: 10 })).total, 0);
  });

  it('every field of a message is stored as given', async () => {
    const { id: workspace_id } = await buildWorkspace(test.db);
    const given = {
      channel: 'email',
      to: "o'brien+\\x@example.test",
      content: { text: 'Zeile 1\nĲ 😀 \\u0041 "q"', subject: "'; DROP TABLE messages; --", html: '<b>&amp;</b>' },
      metadata: { z: 1, a: { nested: [null, true, 1.5, 'ü'] } },
      reference: 'order 7',
      idempotency_key: 'key-1',
      request_digest: Buffer.from([0, 255, 92, 39]),
      status_detail: 'scheduled',
      cost: 100,
      segments: null,
      encoding: null,
      scheduled_at: new Date('2027-01-02T03:04:05.678Z'),
      expires_at: new Date('2027-01-03T00:00:00.001Z'),
      created_at: new Date('2026-12-31T23:59:59.999Z'),
    } as const satisfies Partial<NewMessage>;
    const [row] = await insert({ workspace_id, ...given, metadata: { ...given.metadata, a: { nested: [...given.metadata.a.nested] } } });
    assert.ok(row);
    assert.deepEqual(Object.fromEntries(Object.keys(given).map((key) => [key, row[key as keyof typeof row]])), given);
    assert.deepEqual(Object.keys(row.metadata ?? {}), ['z', 'a'], 'in the order that was given');
    const [stored] = await rows<{ content: string }>(test.db, 'SELECT content::text FROM messages WHERE id = $1', [row.id]);
    assert.equal(stored?.content, JSON.stringify(given.content));
  });

  it('one of twenty sends at once with one idempotency key is stored', async () => {
    const { id: workspace_id } = await buildWorkspace(test.db);
    const before = { messages: await count('messages'), groups: await count('message_groups') };
    const answers = await Promise.all(Array.from({ length: 20 }, () => insert({ workspace_id, idempotency_key: 'same' })));
    assert.equal(answers.flat().length, 1);
    assert.equal(await count('messages'), (before.messages ?? 0) + 1);
    assert.equal(await count('message_groups'), (before.groups ?? 0) + 1);
  });

  it('the same idempotency key can be used in several workspaces', async () => {
    const [one, two] = [await buildWorkspace(test.db), await buildWorkspace(test.db)];
    for (const workspace_id of [one.id, two.id]) assert.equal((await insert({ workspace_id, idempotency_key: 'shared' })).length, 1);
    for (const _ of [1, 2]) assert.equal((await insert({ workspace_id: one.id, idempotency_key: null })).length, 1);
  });

  it('a message with a taken idempotency key is skipped, and the rest of its group is stored', async () => {
    const { id: workspace_id } = await buildWorkspace(test.db);
    await insert({ workspace_id, idempotency_key: 'taken' });
    const groupId = uuidv7();
    const messages = ['free', 'taken'].map((idempotency_key) =>
      newMessage({ id: uuidv7(), workspace_id, group_id: groupId, idempotency_key }),
    );
    const stored = await insertMessages(test.db, { groupId, workflowId: 'test', messages });
    assert.deepEqual(
      stored.map(({ idempotency_key }) => idempotency_key),
      ['free'],
    );
    assert.deepEqual(await rows(test.db, 'SELECT workflow_id, reports_pending, closed_at FROM message_groups WHERE id = $1', [groupId]), [
      { workflow_id: 'test', reports_pending: false, closed_at: null },
    ]);
  });
});
