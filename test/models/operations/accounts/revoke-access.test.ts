import assert from 'node:assert/strict';
import type { Transaction } from '../../../../models/db/database.js';
import { deleteSessions, endAllSessions } from '../../../../models/operations/accounts/end-sessions.js';
import { deactivateWebhooks, deleteWebhooks, revokeApiKeys } from '../../../../models/operations/accounts/revoke-access.js';
import { ApiKey } from '../../../../models/tables/api-key.js';
import { byTest } from '../../../support/by-test.js';
import { testEnv } from '../../../support/config.js';
import { rows } from '../../../support/database.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildSession, buildWebhook } from '../../../support/rows/factories.js';

describe('the end of the access to a workspace', () => {
  const test = workspaceForEach();
  const within = (end: (transaction: Transaction) => Promise<unknown>) => test.db.transaction(end);
  const buildKey = async () =>
    (await ApiKey.issue(testEnv().SECRET_KEY as string, { workspace_id: test.workspaceId, name: 'x', scopes: ['read_messages'] })).row;

  for (const { title, table, build, end } of [
    {
      title: 'webhooks are deactivated without a deadlock with deliveries that are left to retriers',
      table: 'webhooks',
      build: async () => (await buildWebhook(test.workspaceId, 'https://one.example.test/')).row,
      end: () => within((transaction) => deactivateWebhooks(test.db, transaction, test.workspaceId, byTest)),
    },
    {
      title: 'webhooks are deleted without a deadlock with deliveries that are left to retriers',
      table: 'webhooks',
      build: async () => (await buildWebhook(test.workspaceId, 'https://one.example.test/')).row,
      end: () => within((transaction) => deleteWebhooks(test.db, transaction, test.workspaceId, byTest)),
    },
    {
      title: 'API keys are revoked without a deadlock with the record of their uses',
      table: 'api_keys',
      build: buildKey,
      end: () => within((transaction) => revokeApiKeys(test.db, transaction, test.workspaceId, byTest)),
    },
    {
      title: 'sessions are forgotten without a deadlock with the record of their uses',
      table: 'sessions',
      build: () => buildSession(test.workspaceId),
      end: () => within((transaction) => deleteSessions(test.db, transaction, test.workspaceId)),
    },
    {
      title: 'sessions are ended without a deadlock with the record of their uses',
      table: 'sessions',
      build: () => buildSession(test.workspaceId),
      end: () => endAllSessions(test.db, test.workspaceId, byTest),
    },
  ]) {
    it(title, async () => {
      for (let count = 1; count <= 2; count += 1) await build();
      // The row stored last has the first id, so only a statement that sorts by id locks it first.
      await rows(test.db, `UPDATE ${table} SET id = overlay(id::text placing '00000000' from 1)::uuid WHERE id = $1`, [(await build()).id]);
      const stored = await rows<{ id: string }>(test.db, `SELECT id FROM ${table} WHERE workspace_id = $1 ORDER BY id`, [test.workspaceId]);
      const ids = stored.map(({ id }) => id);
      const other = await test.db.transaction();
      const lock = (id: string | undefined) =>
        test.db.query(`SELECT 1 FROM ${table} WHERE id = $1 FOR NO KEY UPDATE`, { bind: [id], transaction: other });
      await lock(ids[0]);
      const ending = end();
      await untilLockWait(test.db, 'it waits for the lock');
      await lock(ids[2]);
      await other.commit();
      await ending;
      const left = `SELECT 1 AS one FROM ${table} WHERE id = ANY($1::uuid[]) ${table === 'sessions' ? '' : 'AND is_active'}`;
      assert.deepEqual(await rows(test.db, left, [ids]), []);
    });
  }
});
