import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { buildBacklog } from '../../support/rows/deliveries.js';
import { buildWebhook } from '../../support/rows/factories.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const large = 10_000;

describe('the total of a large list', () => {
  const app = useApi();
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });

  /** @param add stores this many rows */
  const assertTotalRemembered = async (path: string, add: (count: number) => Promise<unknown>) => {
    const read = async (page: number) => {
      const { status, body } = await app.call('GET', `${path}limit=1&page=${page}`, { jwt: account.jwt });
      assert.equal(status, 200);
      const { pagination, ...rest } = body.data;
      return { total: pagination.total as number, shown: Object.values<unknown[]>(rest)[0]?.length };
    };
    const total = async () => (await read(1)).total;
    await add(large);
    const first = await total();
    assert.ok(first >= large, String(first));
    await add(1);
    assert.equal(await total(), first);
    assert.deepEqual(await read(first + 1), { total: first + 1, shown: 1 }, 'the oldest row is on a page');
    assert.deepEqual(await read(first + 2), { total: first, shown: 0 });
  };

  it('a large number of suppressions is remembered for the next page', () =>
    assertTotalRemembered('/api/v1/suppressions?', (count) =>
      rows(
        app.deps.db,
        `INSERT INTO suppressions (id, workspace_id, channel, recipient, reason, source)
         SELECT uuidv7(), $1, 'email', uuidv7() || '@example.org', 'manual', 'api' FROM generate_series(1, $2::integer)`,
        [account.workspaceId, count],
      ),
    ));

  it('a large number of audit events is remembered for the next page', () =>
    assertTotalRemembered('/api/v1/audit-events?type=webhook.created&', (count) =>
      rows(
        app.deps.db,
        `INSERT INTO audit_events (id, workspace_id, type, at, actor_type, target_type, target_id)
         SELECT uuidv7(), $1, 'webhook.created', now(), 'user', 'webhook', uuidv7() FROM generate_series(1, $2::integer)`,
        [account.workspaceId, count],
      ),
    ));

  it('a large number of deliveries is remembered for the next page', async () => {
    const { row } = await buildWebhook(account.workspaceId, 'https://127.0.0.1:9443/hook');
    await assertTotalRemembered(`/api/v1/webhooks/${row.id}/deliveries?`, (count) => buildBacklog(app.deps.db, row, { count }));
  });
});
