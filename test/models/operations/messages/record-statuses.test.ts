import assert from 'node:assert/strict';
import { type Move, recordStatuses, type StatusChange } from '../../../../models/operations/messages/record-statuses.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import {
  balanceOf,
  buildQueuedGroup,
  buildSent,
  eventsOf,
  ledgerOf,
  messageOf,
  rolledBack,
  statusOf,
} from '../../../support/rows/messages.js';
import { change, factsOf, failure, messageIn, recordMove } from './status-changes.js';

const statuses = ['accepting', 'queued', 'sent', 'delivered', 'failed', 'read'] as const;
/** The statuses of docs/contract/messages.md, by hand: the only moves there are. */
const allowed = [
  'accepting→queued',
  'queued→sent',
  'queued→failed',
  'sent→delivered',
  'sent→failed',
  'sent→read',
  'delivered→read',
  'failed→delivered',
];

/** A time after the messages of the tests. */
const later = (seconds: number) => new Date(tomorrowMs + seconds * 1_000);
const tomorrowMs = Date.now() + 86_400_000;

describe('recordStatuses', () => {
  const test = useDatabase({ checksBooks: true });

  const record = (to: Move['to'], changes: StatusChange[], more: Partial<Move> = {}) => recordMove(test.db, { to, changes, ...more });

  for (const from of statuses) {
    for (const to of statuses.slice(1) as Move['to'][]) {
      const isAllowed = allowed.includes(`${from}→${to}`);
      it(`the move ${from} → ${to} is ${isAllowed ? 'made' : 'refused'}`, async () => {
        const workspace = await buildWorkspace(test.db);
        await buildWebhook(workspace.id, 'https://one.example.test/');
        const id = await messageIn(test.db, workspace.id, from);
        const before = {
          message: await messageOf(test.db, id),
          events: await eventsOf(test.db, id),
          ledger: await ledgerOf(test.db, workspace.id),
        };
        // Rolled back, because a move alone does not charge what acceptance would.
        const moved = await rolledBack(test.db, (transaction) =>
          recordStatuses(test.db, transaction, { to, changes: [change(id, 'unknown', failure)] }),
        );
        assert.deepEqual(
          moved.map((row) => [row.id, row.status]),
          isAllowed ? [[id, to]] : [],
        );
        if (isAllowed) return;
        await record(to, [change(id, 'unknown', failure)]);
        assert.deepEqual(await messageOf(test.db, id), before.message);
        assert.deepEqual(await eventsOf(test.db, id), before.events);
        assert.deepEqual(await ledgerOf(test.db, workspace.id), before.ledger);
      });
    }
  }

  it('a move from an unknown source status is refused, and nothing is written', async () => {
    const { id } = await buildSent(test.db, (await buildWorkspace(test.db)).id);
    await assert.rejects(record('queued', [change(id, 'accepted')], { from: ['sent'] }), /no move into queued from sent/);
    assert.equal(await statusOf(test.db, id), 'sent/awaiting_report');
  });

  it('a message is moved only from the given sources and details', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    const [sent, queued] = [await buildSent(test.db, workspaceId), await buildQueued(test.db, workspaceId)];
    assert.deepEqual(await record('failed', [change(sent.id, 'cancelled', failure)], { from: ['queued'] }), []);
    assert.deepEqual(await record('failed', [change(queued.id, 'cancelled', failure)], { details: ['scheduled'] }), []);
    assert.equal(await statusOf(test.db, sent.id), 'sent/awaiting_report');
    assert.equal(await statusOf(test.db, queued.id), 'queued/accepted');
  });

  it('each status stores its time and its facts', async () => {
    const { id } = await buildQueued(test.db, (await buildWorkspace(test.db)).id, { channel: 'whatsapp' });
    await record('sent', [change(id, 'awaiting_report', { at: later(1), provider: 'sandbox', provider_message_id: 'p-1' })]);
    await record('failed', [change(id, 'undeliverable', { at: later(2), provider_error_code: '63024', ...failure })]);
    const failed = await messageOf(test.db, id);
    assert.deepEqual(
      {
        ...factsOf(failed),
        provider: failed.provider,
        provider_message_id: failed.provider_message_id,
        provider_error_code: failed.provider_error_code,
      },
      {
        sent_at: later(1),
        delivered_at: null,
        failed_at: later(2),
        read_at: null,
        ...failure,
        provider: 'sandbox',
        provider_message_id: 'p-1',
        provider_error_code: '63024',
      },
    );
    await record('delivered', [change(id, 'delivered', { at: later(3) })]);
    const none = { error_code: null, error_message: null };
    assert.deepEqual(
      factsOf(await messageOf(test.db, id)),
      { sent_at: later(1), delivered_at: later(3), failed_at: null, read_at: null, ...none },
      'a correction takes the failure back',
    );
    await record('read', [change(id, 'read', { at: later(4) })]);
    assert.deepEqual(factsOf(await messageOf(test.db, id)), {
      sent_at: later(1),
      delivered_at: later(3),
      failed_at: null,
      read_at: later(4),
      ...none,
    });
  });

  it('a read receipt also counts as the delivery', async () => {
    const { id } = await buildSent(test.db, (await buildWorkspace(test.db)).id, { channel: 'whatsapp' });
    const at = later(0);
    await record('read', [change(id, 'read', { at })]);
    const { delivered_at, read_at } = await messageOf(test.db, id);
    assert.deepEqual([delivered_at, read_at], [at, at]);
  });

  it('a message that fails before its hand-off is refunded once, and one that was handed off is not', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db, 10_000);
    const [sent, queued] = [
      await buildSent(test.db, workspaceId, { cost: 2_000 }),
      await buildQueued(test.db, workspaceId, { cost: 3_000 }),
    ];
    for (const _ of [1, 2])
      await record(
        'failed',
        [sent, queued].map(({ id }) => change(id, 'undeliverable', failure)),
      );
    assert.deepEqual(await ledgerOf(test.db, workspaceId), ['grant 10000', 'debit -2000', 'debit -3000', 'refund 3000']);
    assert.deepEqual([(await messageOf(test.db, sent.id)).credits_used, (await messageOf(test.db, queued.id)).credits_used], [2_000, 0]);
    assert.equal(await balanceOf(test.db, workspaceId), 8_000);
  });

  it('failed messages of several workspaces are refunded to each', async () => {
    const [one, two] = [await buildWorkspace(test.db, 5_000), await buildWorkspace(test.db, 5_000)];
    const groups = [
      await buildQueuedGroup(test.db, one.id, [{ cost: 1_000 }, { cost: 1_500 }]),
      await buildQueuedGroup(test.db, two.id, [{ cost: 700 }]),
    ];
    await record(
      'failed',
      groups.flatMap(({ ids }) => ids).map((id) => change(id, 'cancelled', failure)),
    );
    assert.deepEqual([await balanceOf(test.db, one.id), await balanceOf(test.db, two.id)], [5_000, 5_000]);
  });

  it('status, event and refund are written in one transaction', async () => {
    const workspace = await buildWorkspace(test.db, 5_000);
    await buildWebhook(workspace.id, 'https://one.example.test/');
    const { id } = await buildQueued(test.db, workspace.id);
    const moved = await rolledBack(test.db, (transaction) =>
      recordStatuses(test.db, transaction, { to: 'failed', changes: [change(id, 'cancelled', failure)] }),
    );
    assert.equal(moved.length, 1);
    assert.equal(await statusOf(test.db, id), 'queued/accepted');
    assert.deepEqual(await eventsOf(test.db, id), ['queued']);
    assert.deepEqual(await ledgerOf(test.db, workspace.id), ['grant 5000', 'debit -1000']);
  });

  it('a message is moved once for many callers at once, with one event and one refund', async () => {
    const workspace = await buildWorkspace(test.db, 5_000);
    await buildWebhook(workspace.id, 'https://one.example.test/');
    const { id } = await buildQueued(test.db, workspace.id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => record('failed', [change(id, 'cancelled', failure)])));
    assert.equal(answers.flat().length, 1);
    assert.deepEqual(await eventsOf(test.db, id), ['queued', 'failed']);
    assert.deepEqual(await ledgerOf(test.db, workspace.id), ['grant 5000', 'debit -1000', 'refund 1000']);
  });
});
