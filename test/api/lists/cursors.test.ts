import assert from 'node:assert/strict';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { rows } from '../../support/database.js';
import { buildQueued, buildWebhook } from '../../support/rows/factories.js';
import { credentialFor } from '../matrix/matrix-cases.js';
import type { Account, TestApp } from '../start-app.js';
import { useApi } from '../use-api.js';
import { addRow, lists, type Owner } from './list-cases.js';

interface Pagination {
  total: number | null;
  page: number;
  pages: number | null;
  limit: number;
  next_cursor: string | null;
}
type Owned = Account & Owner;

const hint = 'Use next_cursor of the previous response, with the same path and filters';

async function owner(app: TestApp): Promise<Owned> {
  const account = await app.account();
  const webhook = await buildWebhook(account.workspaceId, 'https://8.8.8.8/');
  return { ...account, webhookId: webhook.row.id };
}

const get = (app: TestApp, item: Endpoint, of: Owned, query: string) =>
  app.call('GET', `${item.path.replace(':id', of.webhookId)}${query}`, credentialFor(item, of));

/** One part of a list: the ids of its rows, and the pagination. */
async function part(app: TestApp, item: Endpoint, of: Owned, query: string): Promise<{ ids: string[]; pagination: Pagination }> {
  const { status, body } = await get(app, item, of, query);
  assert.equal(status, 200, JSON.stringify(body));
  const { pagination, ...named } = body.data;
  const [listed] = Object.values(named) as { id: string }[][];
  return { ids: (listed ?? []).map(({ id }) => id), pagination };
}

/** All ids from a cursor on. `between` runs after each part. */
async function walk(
  app: TestApp,
  item: Endpoint,
  of: Owned,
  cursor: string | null,
  between = async (): Promise<unknown> => null,
): Promise<string[]> {
  const ids: string[] = [];
  for (let next = cursor; next !== null; ) {
    const found = await part(app, item, of, `?limit=2&cursor=${next}`);
    const { total, page, pages, limit } = found.pagination;
    assert.deepEqual({ total, page, pages, limit }, { total: null, page: 1, pages: null, limit: 2 });
    ids.push(...found.ids);
    next = found.pagination.next_cursor;
    await between();
  }
  return ids;
}

describe('cursors of lists', () => {
  const app = useApi();

  it('every list has a way to add a row in these tests', () => {
    assert.deepEqual(Object.keys(addRow).toSorted(), lists.map(({ id }) => id).toSorted());
  });

  for (const item of lists) {
    describe(`GET ${item.path}`, () => {
      let of: Owned;
      const add = async (times: number) => {
        for (let time = 0; time < times; time += 1) await addRow[item.id]?.(app.deps.db, of);
      };
      beforeEach(async () => {
        of = await owner(app);
        await add(5);
      });

      it(`GET ${item.path}: the cursors show every row once while others are added`, async () => {
        const { ids: all, pagination } = await part(app, item, of, '');
        assert.deepEqual([pagination.total, pagination.pages, pagination.next_cursor], [all.length, 1, null]);
        const first = await part(app, item, of, '?limit=2');
        assert.deepEqual([first.pagination.total, first.pagination.page], [all.length, 1]);
        const rest = await walk(app, item, of, first.pagination.next_cursor, () => add(1));
        assert.deepEqual([...first.ids, ...rest], all);
      });

      it(`GET ${item.path}: a cursor continues after a page that was asked for by its number`, async () => {
        const { ids: all } = await part(app, item, of, '');
        const second = await part(app, item, of, '?limit=2&page=2');
        assert.deepEqual(await walk(app, item, of, second.pagination.next_cursor), all.slice(4));
        const behind = await part(app, item, of, '?limit=2&page=99');
        assert.deepEqual([behind.ids, behind.pagination.next_cursor], [[], null]);
      });

      it(`GET ${item.path}: the numbers of the pages show every row once`, async () => {
        const { ids: all } = await part(app, item, of, '');
        const shown: string[] = [];
        for (const page of all.keys()) shown.push(...(await part(app, item, of, `?limit=1&page=${page + 1}`)).ids);
        assert.deepEqual(shown, all);
      });

      it(`GET ${item.path}: 400 for what is no cursor of this list`, async () => {
        const cursor = (await part(app, item, of, '?limit=2')).pagination.next_cursor ?? '';
        const foreign = (await part(app, item, await ownerOfRows(item), '?limit=2')).pagination.next_cursor ?? '';
        const forged = Buffer.from(`${Buffer.from(cursor, 'base64url').toString().split('.').slice(0, 2).join('.')}.x`).toString(
          'base64url',
        );
        for (const wrong of ['', 'x', `${cursor}=`, cursor.slice(0, -4), forged, foreign, `${cursor}${'A'.repeat(300)}`]) {
          const { status, body } = await get(app, item, of, `?cursor=${wrong}`);
          assert.deepEqual(
            [status, body.error, body.details, body.hints],
            [400, 'Invalid cursor', [{ field: 'cursor', message: 'Invalid cursor' }], [hint]],
          );
        }
        const both = await get(app, item, of, `?page=1&cursor=${cursor}`);
        assert.deepEqual([both.status, both.body.error], [400, 'cursor cannot be combined with page']);
      });

      const ownerOfRows = async (list: Endpoint) => {
        const other = await owner(app);
        for (let time = 0; time < 3; time += 1) await addRow[list.id]?.(app.deps.db, other);
        return other;
      };
    });
  }
});

describe('a cursor', () => {
  const app = useApi();
  const listOf = (id: string) => lists.find((item) => item.id === id) as Endpoint;
  let of: Owned;
  beforeEach(async () => {
    of = await owner(app);
    for (let time = 0; time < 5; time += 1) await buildQueued(app.deps.db, of.workspaceId, { reference: 'r' });
  });

  it('a cursor works with the same filters in any order and with another limit', async () => {
    const query = 'reference=r&channel=sms';
    const { ids, pagination } = await part(app, listOf('listMessages'), of, `?limit=2&${query}`);
    const rest = await part(app, listOf('listMessages'), of, `?channel=sms&limit=100&cursor=${pagination.next_cursor}&reference=r`);
    assert.deepEqual([new Set([...ids, ...rest.ids]).size, rest.ids.length, rest.pagination.next_cursor], [5, 3, null]);
  });

  it('400 for a cursor with other filters, or on another list', async () => {
    const { pagination } = await part(app, listOf('listMessages'), of, '?limit=2&reference=r');
    for (const [id, query] of [
      ['listMessages', ''],
      ['listMessages', '&reference=other'],
      ['listMessages', '&reference=r&channel=sms'],
      ['listContacts', ''],
      ['listDeliveries', ''],
    ] as const) {
      const { status, body } = await get(app, listOf(id), of, `?cursor=${pagination.next_cursor}${query}`);
      assert.deepEqual([status, body.error], [400, 'Invalid cursor'], `${id} ${query}`);
    }
  });

  it('400 for a wrong cursor comes before the 404 for an unknown webhook', async () => {
    const { pagination } = await part(app, listOf('listMessages'), of, '?limit=2');
    const unknown = { ...of, webhookId: of.workspaceId };
    const { status } = await get(app, listOf('listDeliveries'), unknown, `?cursor=${pagination.next_cursor}`);
    assert.equal(status, 400);
  });

  it('a cursor leads through rows of the same moment', async () => {
    await rows(app.deps.db, `UPDATE deliveries SET created_at = '2026-01-01T00:00:00.123456Z' WHERE webhook_id = $1`, [of.webhookId]);
    for (let time = 0; time < 5; time += 1) await addRow['listAuditEvents']?.(app.deps.db, of);
    await rows(app.deps.db, `UPDATE audit_events SET at = '2026-01-01T00:00:00.123456Z' WHERE workspace_id = $1`, [of.workspaceId]);
    for (const id of ['listDeliveries', 'listAuditEvents']) {
      const { ids: all } = await part(app, listOf(id), of, '');
      const first = await part(app, listOf(id), of, '?limit=2');
      assert.deepEqual([...first.ids, ...(await walk(app, listOf(id), of, first.pagination.next_cursor))], all);
      assert.equal(all.length, 5);
    }
  });

  it('a cursor leads from numbered ledger entries to older ones without number', async () => {
    // Entries from before migration 0017 have no number. The table takes no updates otherwise.
    await rows(app.deps.db, 'ALTER TABLE credit_entries DISABLE TRIGGER USER');
    await rows(app.deps.db, 'UPDATE credit_entries SET number = NULL WHERE workspace_id = $1 AND number <= 3', [of.workspaceId]);
    await rows(app.deps.db, 'ALTER TABLE credit_entries ENABLE TRIGGER USER');
    const { ids: all } = await part(app, listOf('listTransactions'), of, '');
    const first = await part(app, listOf('listTransactions'), of, '?limit=1');
    assert.deepEqual([...first.ids, ...(await walk(app, listOf('listTransactions'), of, first.pagination.next_cursor))], all);
    assert.equal(all.length, 6);
  });

  it('a cursor leads through deliveries with a filter on their status', async () => {
    await rows(app.deps.db, `UPDATE deliveries SET status = 'failed' WHERE webhook_id = $1`, [of.webhookId]);
    const query = 'status=failed,held&limit=2';
    const first = await part(app, listOf('listDeliveries'), of, `?${query}`);
    const second = await part(app, listOf('listDeliveries'), of, `?${query}&cursor=${first.pagination.next_cursor}`);
    const third = await part(app, listOf('listDeliveries'), of, `?${query}&cursor=${second.pagination.next_cursor}`);
    assert.equal(new Set([...first.ids, ...second.ids, ...third.ids]).size, 5);
    assert.equal(third.pagination.next_cursor, null);
  });
});
