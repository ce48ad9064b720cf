import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { Message } from '../../../../models/tables/message.js';
import { type HistoryFilters, listMessages } from '../../../../models/operations/messages/list-messages.js';
import { rows } from '../../../support/database.js';
import { prices } from '../../../support/prices.js';
import { buildQueued, buildUndecided, buildWorkspace } from '../../../support/rows/factories.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildSent, noFilters } from '../../../support/rows/messages.js';
import { acceptBatch } from '../../../support/rows/batches.js';

describe('listMessages', () => {
  const test = workspaceForEach();

  const list = async (filters: Partial<HistoryFilters> = {}, page = 1, limit = 50) => {
    const { rows, total } = await listMessages(test.db, test.workspaceId, { ...noFilters, ...filters }, { page, limit });
    return { ids: rows.map(({ id }) => id), total };
  };

  it('accepted messages of the workspace are listed in pages, newest first', async () => {
    const built: string[] = [];
    for (let index = 0; index < 5; index += 1) built.unshift((await buildQueued(test.db, test.workspaceId)).id);
    await buildUndecided(test.db, test.workspaceId);
    await buildQueued(test.db, (await buildWorkspace(test.db)).id);
    assert.deepEqual(await list(), { ids: built, total: 5 });
    const pages = [await list({}, 1, 2), await list({}, 2, 2), await list({}, 3, 2), await list({}, 4, 2)];
    assert.deepEqual(
      pages.map(({ ids }) => ids),
      [built.slice(0, 2), built.slice(2, 4), built.slice(4), []],
    );
    assert.deepEqual(new Set(pages.map(({ total }) => total)), new Set([5]));
  });

  it('messages are filtered by every field and by combinations', async () => {
    const batch_id = uuidv7();
    const batch = `INSERT INTO batches (id, workspace_id, channel, status, total, accepted, cost) VALUES ($1, $2, 'email', 'accepting', 1, 1, $3)`;
    await rows(test.db, batch, [batch_id, test.workspaceId, prices.email]);
    const sent = await buildSent(test.db, test.workspaceId, { to: '+15550000001', reference: 'a' });
    const email = await buildUndecided(test.db, test.workspaceId, { channel: 'email', to: 'a@example.test', reference: 'a', batch_id });
    await acceptBatch(test.db, batch_id);
    for (const [filters, ids] of [
      [{ status: 'sent' }, [sent.id]],
      [{ status: 'queued' }, [email.id]],
      [{ status: 'read' }, []],
      [{ channel: 'email' }, [email.id]],
      [{ to: '+15550000001' }, [sent.id]],
      [{ reference: 'a' }, [email.id, sent.id]],
      [{ batch_id }, [email.id]],
      [{ reference: 'a', channel: 'sms' }, [sent.id]],
      [{ reference: "a' OR '1'='1" }, []],
    ] as [Partial<HistoryFilters>, string[]][]) {
      assert.deepEqual(await list(filters), { ids, total: ids.length }, JSON.stringify(filters));
    }
  });

  it('a time range includes both of its ends', async () => {
    const at = (day: number) => new Date(Date.UTC(2027, 0, day));
    const ids: string[] = [];
    for (const day of [1, 2, 3]) ids.unshift((await buildQueued(test.db, test.workspaceId, { created_at: at(day) })).id);
    assert.deepEqual((await list({ start_date: at(2) })).ids, ids.slice(0, 2));
    assert.deepEqual((await list({ end_date: at(2) })).ids, ids.slice(1));
    assert.deepEqual((await list({ start_date: at(2), end_date: at(2) })).ids, ids.slice(1, 2));
    assert.deepEqual((await list({ start_date: at(3), end_date: at(1) })).total, 0);
  });

  // Otherwise the update to `delivered` writes every index again (migration 0042).
  it('no index of messages has a column that changes at the delivery', async () => {
    const found = await rows(
      test.db,
      String.raw`SELECT indexname FROM pg_indexes WHERE tablename = 'messages' AND indexdef ~ '\m(status|status_detail|delivered_at)\M'`,
    );
    assert.deepEqual(found, []);
  });

  it('an id that is foreign, unknown or malformed finds no message', async () => {
    const { id } = await buildQueued(test.db, test.workspaceId);
    assert.equal((await Message.owned(test.workspaceId, id)).id, id);
    const stranger = await buildWorkspace(test.db);
    for (const [owner, wanted] of [
      [stranger.id, id],
      [test.workspaceId, uuidv7()],
      [test.workspaceId, 'x'],
      [test.workspaceId, `${id}' OR 1=1`],
    ] as const) {
      await assert.rejects(Message.owned(owner, wanted), { code: 'not_found', message: 'Message not found' });
    }
  });
});
