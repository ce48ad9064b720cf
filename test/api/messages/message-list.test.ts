import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { buildQueued, buildUndecided } from '../../support/rows/factories.js';
import type { Answer } from '../start-app.js';
import { channels } from '../../../models/channels.js';
import { useApi } from '../use-api.js';

const list = '/api/v1/messages';
const ids = ({ status, body }: Answer) => {
  assert.equal(status, 200);
  return body.data.messages.map(({ id }: { id: string }) => id);
};

describe('the list of messages', () => {
  const app = useApi({ checksBooks: true });
  let key: string;
  let workspaceId: string;
  beforeEach(async () => {
    ({ key, workspaceId } = await app.account());
  });

  it('the list of messages has pages, newest first, and no messages that are not accepted yet', async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) made.unshift((await buildQueued(app.deps.db, workspaceId)).id);
    const undecided = await buildUndecided(app.deps.db, workspaceId);
    const first = await app.call('GET', `${list}?limit=2`, { key });
    assert.deepEqual(ids(first), made.slice(0, 2));
    const { next_cursor, ...pagination } = first.body.data.pagination;
    assert.deepEqual([pagination, typeof next_cursor], [{ total: 5, page: 1, pages: 3, limit: 2 }, 'string']);
    assert.deepEqual(ids(await app.call('GET', `${list}?limit=2&page=3`, { key })), made.slice(4));
    const all = await app.call('GET', list, { key });
    assert.deepEqual(all.body.data.pagination, { total: 5, page: 1, pages: 1, limit: 50, next_cursor: null });
    assert.equal((await app.call('GET', `${list}/${undecided.id}`, { key })).status, 404);
    assert.equal((await app.call('POST', `${list}/${undecided.id}/cancel`, { key })).status, 404);
    await app.deps.db.query(`DELETE FROM messages WHERE id = '${undecided.id}'`);
  });
  it('the list of messages can be filtered by each parameter', async () => {
    const day = '2026-03-01T10:00:00.000Z';
    const old = await buildQueued(app.deps.db, workspaceId, { created_at: new Date(day), reference: 'ref 1' });
    const mail = await buildQueued(app.deps.db, workspaceId, { channel: 'email', to: 'a+c@b.co' });
    await app.call('POST', `${list}/${mail.id}/cancel`, { key });
    const cases: [string, string[]][] = [
      ['status=queued', [old.id]],
      ['status=failed', [mail.id]],
      ['status=read', []],
      ['channel=email', [mail.id]],
      ['to=%2B15551234567', [old.id]],
      ['to=+15551234567', [old.id]],
      ['to=a%2Bc%40b.co', [mail.id]],
      ['to=a+c@b.co', [mail.id]],
      ['to=A%2BC@B.co', [mail.id]],
      ['reference=ref%201', [old.id]],
      ['reference=ref', []],
      [`batch_id=${uuidv7()}`, []],
      ['start_date=2026-03-02', [mail.id]],
      ['end_date=2026-03-01', [old.id]],
      ['end_date=2026-02-28', []],
      [`start_date=${day}&end_date=${day}`, [old.id]],
      ['start_date=2026-03-01T11:00:00%2B01:00&end_date=2026-03-01T12:00', [old.id]],
      ['start_date=2026-03-01T11:00:00+01:00&end_date=2026-03-01T13:00:00+01:00', [old.id]],
      ['status=queued&channel=email', []],
      ['unknown=1&a[b]=2', [mail.id, old.id]],
    ];
    for (const [query, expected] of cases) assert.deepEqual(ids(await app.call('GET', `${list}?${query}`, { key })), expected, query);
  });
  const refused: [string, string][] = [
    ['page=0', 'Page must be at least 1'],
    ['page=-1', 'Page must be at least 1'],
    ['page=1.5', 'Page must be at least 1'],
    ['page=1e3', 'Page must be at least 1'],
    ['page=', 'Page must be at least 1'],
    ['page=9007199254740992', 'Page must be between 1 and 9007199254740991'],
    ['page=99999999999999999999', 'Page must be between 1 and 9007199254740991'],
    ['limit=0', 'Limit must be between 1 and 100'],
    ['limit=101', 'Limit must be between 1 and 100'],
    ['limit=ten', 'Limit must be between 1 and 100'],
    ['limit=0x10', 'Limit must be between 1 and 100'],
    ['page=1&page=2', 'page must be given once'],
    ['to=a&to=b', 'to must be given once'],
    ['status=accepting', 'Invalid status. Must be one of: queued, sent, delivered, failed, read'],
    ['channel=voice', `Invalid channel. Must be one of: ${channels.join(', ')}`],
    ['start_date=yesterday', 'Invalid date format'],
    ['start_date=2026-03-01 12:00', 'Invalid date format'],
    ['end_date=2026-02-30', 'Invalid date format'],
    ['end_date=', 'Invalid date format'],
    ['to=%00', 'to must be valid text'],
    ['reference=%00', 'reference must be valid text'],
    ['batch_id=x', 'batch_id must be a UUID'],
    ['batch_id=', 'batch_id must be a UUID'],
    ['to=', 'to must not be empty'],
    ['status=', 'Invalid status. Must be one of: queued, sent, delivered, failed, read'],
  ];
  for (const [query, text] of refused) {
    it(`400 for the list of messages with ${query}`, async () => {
      const { status, body } = await app.call('GET', `${list}?${query}`, { key });
      assert.deepEqual([status, body.error], [400, text]);
    });
  }
});
