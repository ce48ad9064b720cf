/** A repeated bulk send while another process stores the first one, which takes longer than a statement waits for a lock. */
import assert from 'node:assert/strict';
import type { Client } from 'pg';
import { openPool, select, type Database, type Transaction } from '../../../models/db/database.js';
import { processMetrics } from '../../../models/metrics/catalogue.js';
import { until } from '../../support/client.js';
import { toNamed } from '../../support/bulk-requests.js';
import { useAcceptance } from './use-acceptance.js';

describe('a bulk send that another process is storing', () => {
  const { app, post, counted } = useAcceptance('/api/v1/messages/bulk', toNamed, ['batches', 'messages', 'message_groups']);
  /** The pool of the API, whose statements wait for locks for a shorter time here. */
  let impatient: Database;
  let waitMs: number;
  let storing: Transaction;
  let first: unknown;
  beforeEach(async () => {
    waitMs = 500;
    const { db, config } = app.deps;
    first = (await post('stored')).body;
    storing = await db.transaction();
    await select(db, 'SET LOCAL idle_in_transaction_session_timeout = 0', [], storing);
    await select(db, `UPDATE batches SET idempotency_key = 'k' WHERE idempotency_key = 'stored'`, [], storing);
    impatient = openPool(config.databaseUrl, 2);
    impatient.addHook('afterConnect', async (connection) => void (await (connection as Client).query(`SET lock_timeout = ${waitMs}`)));
    app.deps.db = impatient;
  });
  afterEach(async () => {
    await storing.rollback().catch(() => undefined); // a test that failed has not ended it
    await impatient.close();
  });

  const lockTimeouts = async () => {
    const { values } = await processMetrics.databaseErrors.get();
    return values.find(({ labels }) => labels.kind === 'lock_timeout')?.value ?? 0;
  };

  it('a repeated bulk send gets the first answer, however long the first is stored', async () => {
    const before = await lockTimeouts();
    const repeated = post('k');
    await Promise.race([repeated, until(async () => (await lockTimeouts()) >= before + 2, 'it has waited twice')]);
    await storing.commit();
    const { status, body, headers } = await repeated;
    assert.deepEqual([status, body, headers.get('idempotent-replayed')], [201, first, 'true']);
    assert.deepEqual(await counted(), { batches: 1, messages: 3, message_groups: 1, debits: 1 });
  });
  it('503 for a repeated bulk send when the first is stored for too long', async () => {
    waitMs = 50;
    const { status, body, headers } = await post('k');
    await storing.rollback();
    const busy = 'The service is busy. Please try again later.';
    assert.deepEqual([status, body.error, headers.get('retry-after')], [503, busy, '1']);
    assert.deepEqual(await counted(), { batches: 1, messages: 3, message_groups: 1, debits: 1 });
  });
});
