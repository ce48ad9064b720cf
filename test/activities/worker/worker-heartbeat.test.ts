import assert from 'node:assert/strict';
import { startHeartbeats } from '../../../activities/worker/worker-heartbeat.js';
import { connect, inTransaction, select, selectOne } from '../../../models/db/database.js';
import { noteEndOfHeartbeats, noteHeartbeat, seenWorkers } from '../../../models/operations/watch/worker-heartbeats.js';
import { silentLogger } from '../../support/carriers/stub-provider.js';
import { until } from '../../support/client.js';
import { useDatabase } from '../../support/for-each.js';
import { lockWaits, untilLockWait } from '../../support/lock-table.js';
import { startFaultProxy } from '../../support/network/fault-proxy.js';

const isNewer = 'SELECT beat_at >= $1::timestamptz AS is_newer FROM worker_beats';
const holdRow = 'UPDATE worker_beats SET beat_at = clock_timestamp() RETURNING beat_at';

describe('the heartbeat of a worker', () => {
  const test = useDatabase({ forEachTest: true });

  it('the heartbeat of a worker is written on another connection while an answer is lost', async () => {
    const { host } = new URL(test.url);
    const proxy = await startFaultProxy(host);
    const db = connect(test.url.replace(host, proxy.address), 2);
    const everyMs = 500;
    const heartbeats = startHeartbeats(db, silentLogger, 'w', 'main', everyMs);
    await until(() => heartbeats.silentMs() > everyMs / 2, 'a connection is open and idle');
    await until(() => heartbeats.silentMs() < everyMs / 2, 'a heartbeat is written');
    proxy.mode = 'blackhole';
    await until(() => heartbeats.silentMs() > 1.2 * everyMs, 'one is lost');
    proxy.mode = 'pass';
    try {
      // The lost one is given up after 35 s.
      await until(() => heartbeats.silentMs() < everyMs, 'another one is written', 10_000);
    } finally {
      await proxy.close();
      await heartbeats.end();
      await db.close();
    }
  });

  it('the heartbeat of a worker takes three connections at most while none is answered', async () => {
    const everyMs = 20;
    await noteHeartbeat(test.db, 'w', 'main');
    let heartbeats: ReturnType<typeof startHeartbeats> | undefined;
    await inTransaction(test.db, async (transaction) => {
      await select(test.db, holdRow, [], transaction);
      heartbeats = startHeartbeats(test.db, silentLogger, 'w', 'main', everyMs);
      await until(() => (heartbeats?.silentMs() ?? 0) > 50 * everyMs, 'many are due');
      assert.equal(await lockWaits(test.db), 3);
      heartbeats.rest();
    });
    await heartbeats?.end();
  });

  it('the heartbeat of a worker that waited for a lock writes no earlier time', async () => {
    await noteHeartbeat(test.db, 'w', 'main');
    let waiting: Promise<unknown> = Promise.resolve();
    const { beat_at: newest } = await inTransaction(test.db, async (transaction) => {
      await select(test.db, 'SELECT 1 AS one FROM worker_beats FOR UPDATE', [], transaction);
      waiting = noteHeartbeat(test.db, 'w', 'main');
      await untilLockWait(test.db, 'a heartbeat waits');
      return selectOne<{ beat_at: Date }>(test.db, holdRow, [], transaction);
    });
    await waiting;
    assert.deepEqual(await select(test.db, isNewer, [newest]), [{ is_newer: true }]);
  });
  it('a worker that has stopped does not count as lost when one of its heartbeats comes late', async () => {
    await noteHeartbeat(test.db, 'w', 'main');
    await noteEndOfHeartbeats(test.db, 'w', 'main');
    await noteHeartbeat(test.db, 'w', 'main');
    const { known, alive, age_seconds } = await seenWorkers(test.db);
    assert.deepEqual([known, alive, age_seconds], [1, 0, null]);
  });
});
