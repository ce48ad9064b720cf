/** The process that migrates is killed. Its connection closes, but PostgreSQL looks at it only when it has a result to send. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import pg from 'pg';
import { until } from '../support/client.js';
import { rows } from '../support/database.js';
import { useDatabase } from '../support/for-each.js';
import { buildSlowMove, moveOfRows } from '../support/slow-migration.js';

const entryPoint = resolve(import.meta.dirname, '../../models/migrate.js');
const buildOfIndexes = '0031-recipient-indexes.sql';
const underWay = `
  SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND query ~ $1`;
const invalid = 'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid';

describe('a migration whose process is killed', function () {
  const test = useDatabase();

  const start = () =>
    spawn(process.execPath, [entryPoint], {
      env: { PATH: process.env.PATH, DATABASE_URL: test.url },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  /** Kills a process in this statement. */
  const killIn = async (statement: string) => {
    const migrating = start();
    const isUnderWay = async () => (await rows(test.db, underWay, [statement])).length > 0;
    const exit = once(migrating, 'exit');
    await until(isUnderWay, 'the statement is under way').finally(() => migrating.kill('SIGKILL'));
    await exit;
    await until(async () => !(await isUnderWay()), 'PostgreSQL ends the statement');
  };
  const isRecorded = async (name: string) =>
    (await rows(test.db, 'SELECT 1 AS one FROM schema_migrations WHERE name = $1', [name])).length === 1;
  const complete = async () => assert.deepEqual(await once(start(), 'exit'), [0, null]);

  it('a migration whose process is killed changes nothing in a transaction, and the next process applies it', async () => {
    await buildSlowMove(test.db, 50);
    await killIn('DELETE FROM ONLY suppressions');
    const kept = 'SELECT (SELECT count(*) FROM ONLY suppressions) AS old, (SELECT count(*) FROM suppressions_by_recipients) AS moved';
    assert.deepEqual([await rows(test.db, kept), await isRecorded(moveOfRows)], [[{ old: 1, moved: 0 }], false]);
    await rows(test.db, 'DROP TRIGGER slow ON suppressions');
    await complete();
    assert.deepEqual([await rows(test.db, kept), await isRecorded(moveOfRows)], [[{ old: 0, moved: 1 }], true]);
  });

  it('a killed migration without a transaction leaves half an index, and the next process builds it', async () => {
    await rows(test.db, 'DELETE FROM schema_migrations WHERE name = $1', [buildOfIndexes]);
    await rows(test.db, 'DROP INDEX messages_to_lower');
    const writer = new pg.Client({ connectionString: test.url });
    await writer.connect();
    await writer.query('BEGIN; LOCK TABLE messages IN ROW EXCLUSIVE MODE'); // the index waits for all who may be writing
    try {
      await killIn('CREATE INDEX CONCURRENTLY messages_to_lower');
      assert.deepEqual([await rows(test.db, invalid), await isRecorded(buildOfIndexes)], [[{ name: 'messages_to_lower' }], false]);
    } finally {
      await writer.end();
    }
    await complete();
    assert.deepEqual([await rows(test.db, invalid), await isRecorded(buildOfIndexes)], [[], true]);
  });
});
