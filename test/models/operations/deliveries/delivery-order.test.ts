/** No event of a message overtakes an earlier one, whatever the times at which its deliveries are due. */
import assert from 'node:assert/strict';
import { firstDeliveries, retrierDeliveries } from '../../../../models/operations/deliveries/due-deliveries.js';
import { leaveToRetriers } from '../../../../models/operations/deliveries/retriers.js';
import { rows } from '../../../support/database.js';
import { webhookForEach } from '../../../support/for-each.js';
import { buildSent } from '../../../support/rows/messages.js';
import { permutations } from '../../../support/measure/permutations.js';

const inOrder = ['message.queued', 'message.sent', 'message.failed', 'message.delivered'];

describe('the order of the deliveries of a message', () => {
  const test = webhookForEach();

  /** A message with these events, whose deliveries are left to the retrier. @returns its id */
  async function leaveEvents(events: readonly string[]): Promise<string> {
    const { id, group_id } = await buildSent(test.db, test.workspaceId);
    for (const event of events.slice(2)) await rows(test.db, copy, [id, event]);
    await leaveToRetriers(test.db, { idle: await firstDeliveries(test.db, group_id, false) }, false);
    return id;
  }

  const makeDue = (messageId: string, event: string | undefined, secondsAgo: number) =>
    rows(
      test.db,
      `UPDATE deliveries SET status = 'pending', next_attempt_at = now() - $3 * interval '1 second' WHERE message_id = $1 AND event = $2`,
      [messageId, event, secondsAgo],
    );
  const page = async (limit = 10) => (await retrierDeliveries(test.db, test.webhook.row.id, false, limit)).map(({ event }) => event);
  const succeed = (messageId: string, events: readonly string[]) =>
    rows(test.db, `UPDATE deliveries SET status = 'succeeded', next_attempt_at = NULL WHERE message_id = $1 AND event = ANY($2)`, [
      messageId,
      events,
    ]);

  /** The events in the order in which a retrier posts them with pages of this size, all of which succeed. */
  async function posted(messageId: string, limit: number): Promise<string[]> {
    const all: string[] = [];
    for (let due = await page(limit); due.length > 0; due = await page(limit)) {
      all.push(...due);
      await succeed(messageId, due);
    }
    return all;
  }

  it('an event waits for the one before it, which waits for one that is due later', async () => {
    const events = ['message.queued', 'message.sent', 'message.delivered'];
    const id = await leaveEvents(events);
    await makeDue(id, 'message.sent', 30);
    await makeDue(id, 'message.queued', 20); // a round claimed it as overdue
    await makeDue(id, 'message.delivered', 10);
    assert.deepEqual(await page(), ['message.queued']);
    await succeed(id, ['message.queued']);
    assert.deepEqual(await page(), ['message.sent', 'message.delivered']);
  });

  it('no event waits behind an attempt in progress for longer than the attempt', async () => {
    const id = await leaveEvents(inOrder);
    for (const [index, secondsAgo] of [-12, 30, 20, 10].entries()) await makeDue(id, inOrder[index], secondsAgo);
    assert.deepEqual(await page(), []);
    await succeed(id, ['message.queued']);
    assert.deepEqual(await page(), inOrder.slice(1));
  });

  it('an event that needed a retry delays none of the later ones', async () => {
    const id = await leaveEvents(inOrder);
    for (const [index, secondsAgo] of [-60, 30, 20, 10].entries()) await makeDue(id, inOrder[index], secondsAgo);
    await rows(test.db, `UPDATE deliveries SET ladder_step = 1 WHERE message_id = $1 AND event = 'message.queued'`, [id]);
    assert.deepEqual(await page(), inOrder.slice(1));
  });

  it('all events are posted in their order, in whatever order they are due, on pages of any size', async () => {
    const id = await leaveEvents(inOrder);
    for (const times of permutations([10, 20, 30, 40])) {
      for (const limit of [1, 2, 3, 4]) {
        for (const [index, secondsAgo] of times.entries()) await makeDue(id, inOrder[index], secondsAgo);
        assert.deepEqual(await posted(id, limit), inOrder, `due ${times.join(', ')} s ago, ${limit} on a page`);
      }
    }
  });
});

/** A delivery of a later event of the message, like that of `message.sent`. */
const copy = `
  WITH e AS (
    INSERT INTO events (id, workspace_id, message_id, type, body)
    SELECT uuidv7(), workspace_id, message_id, $2, body FROM events WHERE message_id = $1 AND type = 'message.sent' RETURNING id
  )
  INSERT INTO deliveries (id, webhook_id, event_id, event, message_id, group_id, status, next_attempt_at, webhook_revision)
  SELECT uuidv7(), d.webhook_id, e.id, $2, d.message_id, d.group_id, d.status, d.next_attempt_at, d.webhook_revision
  FROM e, deliveries d WHERE d.message_id = $1 AND d.event = 'message.sent'`;
