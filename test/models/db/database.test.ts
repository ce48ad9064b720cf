import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ConnectionAcquireTimeoutError, ConnectionError, ConnectionRefusedError } from 'sequelize';
import { type Database, inTransaction, openPool, select } from '../../../models/db/database.js';
import { resilientPg } from '../../../models/db/postgres-client.js';
import { prepareStatements } from '../../../models/db/prepared-statements.js';
import { processMetrics } from '../../../models/metrics/catalogue.js';
import { until } from '../../support/client.js';
import { cutConnections } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { simpleQuery, startFaultProxy } from '../../support/network/fault-proxy.js';

const nothing = async () => undefined;
/** A busy machine may need longer for a first answer than a pool of a test waits. */
const untilOpen = (db: Database) => until(async () => (await select(db, 'SELECT 1 AS one')).length === 1, 'a connection is open');

/** Errors by kind, and waits for a connection, since the start of this process. */
async function counts() {
  const errors = (await processMetrics.databaseErrors.get()).values;
  const waits = (await processMetrics.poolWaitSeconds.get()).values;
  const errorsOf = (kind: string) => errors.find(({ labels }) => labels.kind === kind)?.value ?? 0;
  return {
    lost: errorsOf('connection'),
    late: errorsOf('pool_timeout'),
    waits: waits.find(({ metricName = '' }) => metricName.endsWith('_count'))?.value ?? 0,
  };
}

describe('connections to PostgreSQL', () => {
  const test = useDatabase();

  it('a connection is given up without an answer, and the next statement gets another one', async () => {
    const { host } = new URL(test.url);
    const proxy = await startFaultProxy(host);
    const db = openPool(test.url.replace(host, proxy.address), 1, { answerMsMax: 1_000 });
    await untilOpen(db);
    proxy.mode = 'blackhole';
    await assert.rejects(select(db, 'SELECT 1 AS one'), /Query read timeout/);
    proxy.mode = 'pass';
    assert.deepEqual(await select(db, 'SELECT 2 AS two'), [{ two: 2 }]);
    await db.close();
    await proxy.close();
  });

  it('a connection is closed if the server answers the login and then nothing', async () => {
    const { hostname, port } = new URL(test.url);
    const open = new Set<Socket>();
    let logins = 0;
    let isHeld = true;
    const pooler = createServer((client) => {
      logins += 1;
      open.add(client);
      const server = createConnection(Number(port), hostname);
      server.pipe(client);
      for (const socket of [client, server]) socket.on('error', () => undefined);
      client.on('data', (chunk) => (isHeld && chunk[0] === simpleQuery ? undefined : server.write(chunk)));
      client.on('close', () => {
        open.delete(client);
        server.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(pooler, 'listening');
    const { port: poolerPort } = pooler.address() as AddressInfo;
    const db = openPool(test.url.replace(`:${port}/`, `:${poolerPort}/`), 2, { answerMsMax: 200, acquireMsMax: 600 });
    const both = () => Promise.all([1, 2].map((number) => select(db, `SELECT ${number} AS number`)));
    for (let time = 1; time <= 3; time += 1) await assert.rejects(both(), /Query read timeout/);
    await until(async () => open.size === 0, 'every connection is closed');
    assert.ok(logins >= 3);
    isHeld = false;
    await until(async () => isDeepStrictEqual(await both(), [[{ number: 1 }], [{ number: 2 }]]), 'both are answered');
    await db.close();
    pooler.close();
  });

  it('a connection that is lost while it is set up is an error of the connection', async () => {
    const { host } = new URL(test.url);
    const proxy = await startFaultProxy(host);
    const db = openPool(test.url.replace(host, proxy.address), 1);
    proxy.mode = 'lose-set-ups';
    await assert.rejects(select(db, 'SELECT 1 AS one'), ConnectionError);
    await assert.rejects(inTransaction(db, nothing), ConnectionError);
    await db.close();
    await proxy.close();
  });

  it('a connection is closed if a statement without parameters gets no answer', async () => {
    const client = new resilientPg.Client({ connectionString: test.url, query_timeout: 100 });
    await client.connect();
    prepareStatements(client);
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    const error = await new Promise<Error>((resolve) => {
      client.query('SELECT pg_sleep(60)', resolve);
    });
    assert.deepEqual([error.message, stream.destroyed], ['Query read timeout', true]);
  });

  it('connections use no parallel workers, so that one statement takes one core', async () => {
    const [plan] = await select<{ max: string }>(test.db, `SELECT current_setting('max_parallel_workers_per_gather') AS max`);
    assert.equal(plan?.max, '0');
  });

  it('a connection compiles no statement to machine code, also on a server that does so by default', async () => {
    await select(test.db, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = on', current_database()); END $$`);
    const db = openPool(test.url, 1);
    assert.deepEqual(await select(db, `SELECT current_setting('jit') AS jit`), [{ jit: 'off' }]);
    await db.close();
  });

  it('a server that refuses connections counts as errors and waits, for statements and transactions', async () => {
    const db = openPool('postgres://nobody@127.0.0.1:1/none', 1);
    const before = await counts();
    await assert.rejects(select(db, 'SELECT 1 AS one'), ConnectionRefusedError);
    await assert.rejects(inTransaction(db, nothing), ConnectionRefusedError);
    const after = await counts();
    await db.close();
    assert.deepEqual([after.lost - before.lost, after.late - before.late, after.waits - before.waits], [2, 0, 2]);
  });

  it('a pool without a free connection counts as errors and waits, for statements and transactions', async () => {
    const db = openPool(test.url, 1, { acquireMsMax: 50 });
    await untilOpen(db);
    const before = await counts();
    await inTransaction(db, async () => {
      await assert.rejects(select(db, 'SELECT 1 AS one'), ConnectionAcquireTimeoutError);
      await assert.rejects(inTransaction(db, nothing), ConnectionAcquireTimeoutError);
    });
    const after = await counts();
    await db.close();
    assert.deepEqual([after.lost - before.lost, after.late - before.late, after.waits - before.waits], [0, 2, 3]);
  });

  it('a server that does not answer counts as lost connections, not as a full pool', async () => {
    const { host } = new URL(test.url);
    const proxy = await startFaultProxy(host);
    const db = openPool(test.url.replace(host, proxy.address), 1, { answerMsMax: 300, acquireMsMax: 1_000 });
    await untilOpen(db);
    proxy.mode = 'blackhole';
    const before = await counts();
    await assert.rejects(select(db, 'SELECT 1 AS one'), /Query read timeout/); // on the connection that it has
    await assert.rejects(select(db, 'SELECT 1 AS one'), ConnectionError); // on a new one
    const after = await counts();
    await db.close();
    await proxy.close();
    assert.deepEqual([after.lost - before.lost, after.late - before.late], [2, 0]);
  });

  it('connections are counted as lost when the server ends them', async () => {
    const db = openPool(test.url, 1);
    const before = await counts();
    await assert.rejects(select(db, 'SELECT pg_terminate_backend(pg_backend_pid())'), /terminating connection/);
    await db.close();
    assert.equal((await counts()).lost - before.lost, 1);
  });

  it('a connection that the server ends is given to no statement that waits for one', async () => {
    const db = openPool(test.url, 1);
    for (let round = 0; round < 10; round += 1) {
      const ended = select(db, 'SELECT pg_terminate_backend(pg_backend_pid())');
      const waiting = Array.from({ length: 3 }, () => select(db, 'SELECT 1 AS one'));
      await assert.rejects(ended, /terminating connection/);
      for (const answer of await Promise.all(waiting)) assert.deepEqual(answer, [{ one: 1 }]);
    }
    await db.close();
  });

  it('connections never end the process when the server closes them', async () => {
    const db = openPool(test.url, 5);
    let failed = 0;
    for (let round = 0; round < 40; round += 1) {
      const work = Array.from({ length: 5 }, () => select(db, 'SELECT 1 AS one').catch(() => void (failed += 1)));
      await cutConnections(test.db);
      await Promise.all(work);
    }
    let answer: object[] | undefined;
    for (let left = 50; left > 0 && answer === undefined; left -= 1) {
      answer = await select(db, 'SELECT 1 AS one').catch(() => undefined);
      if (answer === undefined) await sleep(20);
    }
    assert.deepEqual(answer, [{ one: 1 }]);
    assert.ok(failed > 0, 'connections were ended during statements');
    await db.close();
  });
});

describe('amounts and counts', () => {
  const test = useDatabase();

  it('amounts and counts are exact numbers up to 2^53 - 1, and an error beyond', async () => {
    assert.deepEqual(await select(test.db, 'SELECT 9007199254740991::bigint AS high, -9007199254740991::bigint AS low'), [
      { high: 2 ** 53 - 1, low: 1 - 2 ** 53 },
    ]);
    await assert.rejects(select(test.db, 'SELECT 9007199254740992::bigint AS beyond'), /bigint out of range: 9007199254740992/);
    assert.deepEqual(await select(test.db, 'SELECT 1::bigint AS one'), [{ one: 1 }], 'the next statement gets another connection');
  });
});
