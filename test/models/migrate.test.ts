import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import node from 'node:process';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { connect, type Database } from '../../models/db/database.js';
import { SchemaLock } from '../../models/db/schema-lock.js';
import { migrate, migrateWith } from '../../models/migrate.js';
import { until } from '../support/client.js';
import { rows } from '../support/database.js';
import { useDatabase } from '../support/for-each.js';
import { untilLockWait } from '../support/lock-table.js';
import { asProgram } from '../support/servers.js';
import { buildSlowMove, moveOfRows } from '../support/slow-migration.js';

const entryPoint = resolve(import.meta.dirname, '../../models/migrate.js');
/** Migrations that can run a second time. */
const [withoutTransaction, withTransaction] = [
  ['0031-recipient-indexes.sql', '0036-stream-indexes.sql', '0042-message-list-indexes.sql'],
  ['0018-uncertain-handoffs.sql'],
] as const;

describe('migrating a database', function () {
  const test = useDatabase();
  let pools: Database[];
  beforeEach(() => {
    pools = [];
  });
  afterEach(() => Promise.all(pools.map((pool) => pool.close())));

  const process = () => {
    const pool = connect(test.url, 2);
    pools.push(pool);
    return pool;
  };
  const makeDue = (names: readonly string[]) =>
    rows(test.db, 'DELETE FROM schema_migrations WHERE name = ANY($1::text[]) RETURNING name', [names]);
  /** Another session in a transaction. @returns what ends it */
  async function holding(sql: string): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    await client.query(`BEGIN; ${sql}`);
    return () => client.end();
  }

  it('each migration is applied once if several processes migrate at the same time', async () => {
    for (let round = 0; round < 3; round += 1) {
      await makeDue([...withoutTransaction, ...withTransaction]);
      const applied = await Promise.all([process(), process(), process()].map((db) => migrate(db)));
      assert.deepEqual(applied.flat().toSorted(), [...withTransaction, ...withoutTransaction], `round ${round}`);
    }
    assert.deepEqual(await rows(test.db, 'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid'), []);
  });

  it('a migration waits for another process that migrates, longer than for a lock', async () => {
    await makeDue(withTransaction);
    const release = await holding('SELECT pg_advisory_xact_lock(727001)');
    const pool = process();
    pool.addHook('afterConnect', async (connection) => void (await (connection as pg.Client).query(`SET lock_timeout = '100ms'`)));
    const begun = Date.now();
    let waited = 0;
    const lock = new SchemaLock(pool, () => (waited = Date.now() - begun));
    const migrating = migrate(pool, lock);
    await Promise.race([migrating, until(() => waited > 300, 'the migration asks for the lock again')]);
    await release();
    assert.deepEqual(await migrating, withTransaction);
  });

  it('a migration says at once, and once, that it waits for another process', async () => {
    await makeDue([...withoutTransaction, ...withTransaction]);
    const release = await holding('SELECT pg_advisory_xact_lock(727001)');
    const program = spawn(node.execPath, [entryPoint], {
      env: { PATH: node.env.PATH, DATABASE_URL: test.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, waiting] = [text(program.stdout), once(program.stderr, 'data')];
    const [line] = await waiting;
    assert.match(String(line), /^Another process migrates this database: waiting until it has ended\. /);
    const rest = text(program.stderr);
    await release();
    assert.match(await out, /^Applied 0018-/);
    assert.equal(await rest, '');
  });

  it('several processes at the same time grant the role of the program its rights without an error', async () => {
    const urls = { migrateDatabaseUrl: test.url, databaseUrl: asProgram(test.url) };
    for (let round = 0; round < 3; round += 1) {
      assert.deepEqual(await Promise.all(Array.from({ length: 4 }, () => migrateWith(urls))), [[], [], [], []]);
    }
  });

  it('other statements go on while a migration waits for a transaction that reads its table', async () => {
    await makeDue(withTransaction);
    const release = await holding('SELECT 1 FROM send_attempts LIMIT 1');
    const migrating = migrate(process());
    migrating.catch(() => undefined);
    for (let round = 0; round < 2; round += 1) {
      await untilLockWait(test.db, 'the migration waits for the table');
      await rows(test.db, 'SELECT 1 AS one FROM send_attempts LIMIT 1'); // it would fail after the `lock_timeout` of 5 s
    }
    await release();
    assert.deepEqual(await migrating, withTransaction);
  });
});

describe('migrating a large table', () => {
  const test = useDatabase();

  it('a migration has more time for a statement than the service has', async () => {
    await buildSlowMove(test.db, 1);
    const pool = connect(test.url, 2);
    pool.addHook('afterConnect', async (connection) => void (await (connection as pg.Client).query('SET statement_timeout = 300')));
    try {
      assert.deepEqual(await migrate(pool), [moveOfRows]);
    } finally {
      await pool.close();
    }
  });
});

describe('the entry point that migrates', () => {
  const test = useDatabase();
  const root = resolve(import.meta.dirname, '../../..');
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-migrate-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A release with the parts of this checkout that the entry point needs. */
  function release(name: string): string {
    const place = join(folder, name);
    for (const part of ['package.json', 'dist/models', 'models/migrations'])
      cpSync(join(root, part), join(place, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
    return place;
  }
  function run(program: string): Promise<[string, string]> {
    const child = spawn(node.execPath, [program], {
      env: { PATH: node.env.PATH, DATABASE_URL: test.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return Promise.all([text(child.stdout), text(child.stderr)]);
  }

  it('the migration runs through a symbolic link, without its suffix, and in a folder with special characters', async () => {
    symlinkSync(release('releases (1) [2]'), join(folder, 'current'));
    for (const program of ['dist/models/migrate.js', 'dist/models/migrate']) {
      await rows(test.db, 'DELETE FROM schema_migrations WHERE name = ANY($1::text[])', [withTransaction]);
      assert.deepEqual(await run(join(folder, 'current', program)), [`Applied ${withTransaction[0]}.\n`, ''], program);
    }
  });

  it('the migration fails if its files are missing', async () => {
    const place = release('release');
    rmSync(join(place, 'models/migrations'), { recursive: true });
    const [out, fault] = await run(join(place, 'dist/models/migrate.js'));
    assert.deepEqual([out, fault.split('\n')[0]], ['', `Migration failed: there are no migrations in ${join(place, 'models/migrations')}`]);
  });
});
