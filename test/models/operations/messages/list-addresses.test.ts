import assert from 'node:assert/strict';
import type { Database } from '../../../../models/db/database.js';
import { listMessages } from '../../../../models/operations/messages/list-messages.js';
import type { ListWindow } from '../../../../models/rules/values/list-window.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { entriesRead } from '../../../support/rows/entries-read.js';
import { buildQueued, buildUndecided, buildWorkspace } from '../../../support/rows/factories.js';
import { noFilters } from '../../../support/rows/messages.js';

describe('the messages to an e-mail address', () => {
  const test = useDatabase({ poolMax: 1 }); // one connection: what it reads is counted
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
  });

  const list = async (to: string, window: ListWindow, filters = {}) => {
    const { rows: found, total, next } = await listMessages(test.db, workspaceId, { ...noFilters, to, ...filters }, window);
    return { ids: found.map(({ id }) => id), total, next };
  };
  /** Messages to the address in several ways of writing, newest first, and one to another address after each. */
  const build = async (addresses: readonly string[]) => {
    const ids: string[] = [];
    for (const to of addresses) {
      ids.unshift((await buildQueued(test.db, workspaceId, { channel: 'email', to })).id);
      await buildQueued(test.db, workspaceId, { channel: 'email', to: `Not${to}` });
    }
    return ids;
  };
  const mixed = [
    'anna@example.test',
    'Anna@example.test',
    'ANNA@EXAMPLE.TEST',
    'anna@example.test',
    'anna@example.test',
    'Anna@Example.test',
  ];

  it('messages to an address are found in any letter case, page after page', async () => {
    const ids = await build(mixed);
    for (const to of ['anna@example.test', 'aNNA@example.TEST']) {
      for (const page of [1, 2, 3, 4]) {
        const shown = ids.slice(2 * page - 2, 2 * page);
        const { next, ...rest } = await list(to, { limit: 2, page });
        assert.deepEqual([rest, next !== null], [{ ids: shown, total: 6 }, page < 3], `${to}, page ${page}`);
      }
    }
  });

  it('messages to an address are found in any letter case, cursor after cursor, together with other filters', async () => {
    const ids = await build(mixed);
    await rows(test.db, `UPDATE messages SET reference = 'r' WHERE id <> $1`, [ids[1]]);
    const found: string[] = [];
    let window: ListWindow | null = { limit: 2, page: 1 };
    while (window !== null) {
      const part = await list('Anna@example.test', window, { reference: 'r', status: 'queued', start_date: new Date(0) });
      found.push(...part.ids);
      window = part.next === null ? null : { limit: 2, after: part.next };
    }
    assert.deepEqual(found, ids.toSpliced(1, 1));
  });

  it('messages to an address are found without those of other workspaces and those that are not accepted', async () => {
    const [id] = await build(['Anna@example.test']);
    for (const to of mixed) await buildUndecided(test.db, workspaceId, { channel: 'email', to });
    const { id: other } = await buildWorkspace(test.db);
    for (const to of mixed) await buildQueued(test.db, other, { channel: 'email', to });
    assert.deepEqual(await list('anna@example.test', { limit: 2, page: 1 }), { ids: [id], total: 1, next: null });
  });

  it('messages to an address are read by an index, also before the first address with capital letters', async () => {
    await store(test.db, workspaceId, `'user' || n % 1000 || '@example.test'`);
    const read = async (to: string) =>
      entriesRead(test.db, 'messages', async () => {
        for (const page of [1, 2]) await list(to, { limit: 5, page });
        await list(to, { limit: 5, after: ['ffffffff-ffff-ffff-ffff-ffffffffffff'] });
      });
    for (const to of ['user7@example.test', 'nobody@example.test']) {
      const entries = await read(to);
      assert.ok(entries < readMax, `${entries} index entries for ${to}`);
    }
  });

  it('messages to an address are found on a late page', async () => {
    await store(test.db, workspaceId, `CASE WHEN n % 3 = 0 THEN 'Anna@example.test' ELSE 'anna@example.test' END`);
    const all = await rows<{ id: string }>(test.db, 'SELECT id FROM messages WHERE workspace_id = $1 ORDER BY id DESC', [workspaceId]);
    for (const page of [10, 11, 23, 200]) {
      const { ids, total } = await list('anna@example.test', { limit: 100, page });
      const expected = all.slice(100 * page - 100, 100 * page).map(({ id }) => id);
      assert.deepEqual([ids, total], [expected, stored], `page ${page}`);
    }
  });
});

const stored = 20_000;
/** Far more than a page needs, far less than the messages of the workspace. */
const readMax = 300;

/** @param to SQL: the recipient of the message with the number n */
async function store(db: Database, workspaceId: string, to: string): Promise<void> {
  const insert = `
    WITH aged AS (SELECT n, uuidv7(-($2 - n) * interval '1 minute') AS id FROM generate_series(1, $2::integer) n),
    grouped AS (INSERT INTO message_groups (id, workflow_id, look_at, closed_at) SELECT id, 'msg:' || id, now(), now() FROM aged)
    INSERT INTO messages (id, workspace_id, group_id, channel, "to", content, status, status_detail, cost, failed_at)
    SELECT id, $1, id, 'email', ${to}, '{"text": "Hello"}', 'failed', 'cancelled', 0, now() FROM aged`;
  await rows(db, insert, [workspaceId, stored]);
  await rows(db, 'ANALYZE messages');
}
