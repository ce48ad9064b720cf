import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { prepareTemporal } from '../../../activities/worker/prepare-temporal.js';
import { select } from '../../../models/db/database.js';
import { foreignNamespace, foreignNamespaceFix, installationMemo, installationOf } from '../../../models/startup/installation.js';
import { createLogger } from '../../../models/process/logger.js';
import { workflowIds } from '../../../workflows/contract.js';
import { testEnv } from '../../support/config.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/client.js';
import { startFaultProxy } from '../../support/network/fault-proxy.js';
import { forBriefProcess } from '../../support/parts/child.js';
import { freshNamespace, type TestTemporal } from '../../support/temporal/temporal.js';

describe('the worker process', () => {
  let database: TestDatabase;
  let temporal: TestTemporal;
  before(async () => {
    [database, temporal] = await Promise.all([freshDatabase(), freshNamespace()]);
  });
  after(async () => {
    await temporal.close();
    await database.drop();
  });

  const start = (
    stderr: 'inherit' | 'pipe',
    TEMPORAL_ADDRESS = temporal.address,
    stdout: 'inherit' | 'pipe' = 'inherit',
    TEMPORAL_NAMESPACE = temporal.namespace,
    LOG_LEVEL = stdout === 'pipe' ? 'warn' : 'error',
  ) => {
    const { PATH, NODE_V8_COVERAGE } = process.env;
    return spawn(process.execPath, [...forBriefProcess, resolve(import.meta.dirname, '../../../activities/worker.js')], {
      env: {
        PATH,
        NODE_V8_COVERAGE,
        ...testEnv({ DATABASE_URL: database.url, LOG_LEVEL, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE }),
      },
      stdio: ['ignore', stdout, stderr, 'ipc'],
    });
  };

  it('the worker process exits 1 and names the first migration on an empty database', async () => {
    await select(database.db, 'ALTER TABLE schema_migrations RENAME TO hidden');
    const worker = start('pipe');
    const exited = once(worker, 'exit');
    assert.ok(worker.stderr !== null);
    assert.equal(await text(worker.stderr), 'The database lacks the migration 0001-initial.sql. Run: npm run migrate\n');
    assert.deepEqual(await exited, [1, null]);
    await select(database.db, 'ALTER TABLE hidden RENAME TO schema_migrations');
  });

  const refusal = () => `${foreignNamespace(temporal.namespace)}. ${foreignNamespaceFix(temporal.namespace)}\n`;

  it('the worker process exits 1 and names a namespace that another installation uses', async () => {
    const moveFirstMigration = (by: string) => select(database.db, `UPDATE schema_migrations SET applied_at = applied_at + ${by}`);
    const { connection, client, namespace } = temporal;
    const logger = createLogger('worker', 'silent');
    await prepareTemporal({ connection, schedules: client.schedule, namespace, installation: await installationOf(database.db), logger });
    await moveFirstMigration("interval '1 microsecond'");
    const worker = start('pipe');
    const exited = once(worker, 'exit');
    assert.ok(worker.stderr !== null);
    assert.equal(await text(worker.stderr), refusal());
    assert.deepEqual(await exited, [1, null]);
    await moveFirstMigration("interval '-1 microsecond'");
  });

  it('the worker process stops with exit code 1 when its namespace turns out to be that of another installation', async () => {
    const worker = start('pipe');
    const exited = once(worker, 'exit');
    assert.ok(worker.stderr !== null);
    const printed = text(worker.stderr);
    await Promise.race([once(worker, 'message'), exited]);
    const schedule = temporal.client.schedule.getHandle(workflowIds.watcher);
    await schedule.update((present) => ({ ...present, action: { ...present.action, memo: { [installationMemo]: 'another' } } }) as never);
    assert.deepEqual([await exited, await printed], [[1, null], refusal()]);
    await schedule.delete();
  });

  it('the worker process exits 1 and says that Temporal has no such namespace', async () => {
    const worker = start('pipe', temporal.address, 'pipe', 'nowhere');
    const exited = once(worker, 'exit');
    assert.ok(worker.stderr !== null);
    const fault = `Temporal at ${temporal.address} has no namespace "nowhere": create it, or set TEMPORAL_NAMESPACE\n`;
    assert.equal(await text(worker.stderr), fault);
    assert.deepEqual(await exited, [1, null]);
  });

  /** A way to Temporal that is open for one connection, then closed for some. */
  const wayClosedFor = (refused: number) => {
    let opened = 0;
    return startFaultProxy(() => (opened++ === 0 || opened > refused + 1 ? temporal.address : '127.0.0.1:1'));
  };

  it('the worker process starts when Temporal is away for a moment during the start', async () => {
    const proxy = await wayClosedFor(8);
    const worker = start('inherit', proxy.address, 'pipe');
    assert.ok(worker.stdout !== null);
    const [exited, printed] = [once(worker, 'exit'), text(worker.stdout)];
    await Promise.race([once(worker, 'message'), exited]);
    worker.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    assert.match(await printed, /"msg":"Temporal does not respond; trying again"/);
    await proxy.close();
  });

  it('the worker process exits 1 and says in one line that Temporal cannot be used when it stays away during the start', async () => {
    const proxy = await wayClosedFor(Number.POSITIVE_INFINITY);
    const worker = start('pipe', proxy.address);
    const exited = once(worker, 'exit');
    assert.ok(worker.stderr !== null);
    const fault = new RegExp(`^Temporal at ${proxy.address} \\(TEMPORAL_ADDRESS\\) cannot be used: .+\n$`);
    assert.match(await text(worker.stderr), fault);
    assert.deepEqual(await exited, [1, null]);
    await proxy.close();
  });

  for (const how of ['SIGTERM', 'disconnect'] as const) {
    it(`the worker logs its end and exits 0 on ${how}`, async () => {
      const worker = start('inherit', temporal.address, 'pipe', temporal.namespace, 'info');
      assert.ok(worker.stdout !== null);
      const [exited, printed] = [once(worker, 'exit'), text(worker.stdout)];
      await Promise.race([once(worker, 'message'), exited]);
      if (how === 'disconnect') worker.disconnect();
      else worker.kill(how);
      assert.deepEqual(await exited, [0, null]);
      const lines = (await printed).match(/"msg":"(ready|draining|stopped)"/g);
      assert.deepEqual(lines, ['"msg":"ready"', '"msg":"draining"', '"msg":"stopped"']);
    });
  }

  it('the worker process logs a few lines while Temporal is away, all of them JSON', async () => {
    const way = await wayTo(temporal.address);
    const worker = start('inherit', way.address, 'pipe');
    const exited = once(worker, 'exit');
    let printed = '';
    worker.stdout?.setEncoding('utf8').on('data', (part: string) => (printed += part));
    await Promise.race([once(worker, 'message'), exited]);
    way.close();
    await until(() => printed.includes('could not check the schedule of the watcher'), 'a look at Temporal failed');
    worker.kill('SIGKILL');
    await exited;
    const lines = printed.trim().split('\n');
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('{"level":')),
      [],
    );
    assert.ok(lines.length < 20, printed);
  });
});

/** A way to a server, which can be cut. */
async function wayTo(server: string): Promise<{ address: string; close(): void }> {
  const [host, port] = server.split(':');
  const open = new Set<Socket>();
  const proxy = createServer((socket) => {
    const onward = connect(Number(port), host);
    for (const end of [socket, onward]) open.add(end.on('error', () => undefined));
    socket.pipe(onward).pipe(socket);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: () => {
      proxy.close();
      for (const socket of open) socket.destroy();
    },
  };
}
