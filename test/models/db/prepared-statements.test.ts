import assert from 'node:assert/strict';
import { type Database, openPool, select } from '../../../models/db/database.js';
import { useDatabase } from '../../support/for-each.js';

/** The names under which the only connection has prepared this text, the oldest first. */
const namesOf = async (db: Database, sql: string): Promise<string[]> =>
  (await select<{ text: string; name: string }>(db, 'SELECT statement AS text, name FROM pg_prepared_statements ORDER BY prepare_time'))
    .filter(({ text }) => text === sql)
    .map(({ name }) => name);

describe('prepared statements', () => {
  const test = useDatabase();
  const pools: Database[] = [];
  /** A pool with one connection. */
  const onePool = () => {
    const db = openPool(test.url, 1);
    pools.push(db);
    return db;
  };
  afterEach(async () => {
    for (const db of pools.splice(0)) await db.close();
  });

  it('prepared statements have one name for each text, on every connection', async () => {
    const [one, other] = ['SELECT $1::int AS one', 'SELECT $1::int AS other'];
    const [first, second] = [onePool(), onePool()];
    for (const db of [first, second]) for (const sql of [one, one, other]) await select(db, sql, [1]);
    const [names, others] = [await namesOf(first, one), await namesOf(first, other)];
    assert.deepEqual([names.length, others.length], [1, 1]);
    assert.notDeepEqual(names, others);
    assert.deepEqual(await namesOf(second, one), names);
  });

  it('statements are prepared anew after a migration under a live connection has made one unusable', async () => {
    const db = onePool();
    const read = () => select(db, 'SELECT * FROM sandbox_numbers WHERE id = $1', [1]);
    const count = () => select(db, 'SELECT count(*) FROM sandbox_numbers WHERE id > $1', [0]);
    await select(test.db, 'CREATE TABLE sandbox_numbers (id int PRIMARY KEY)');
    await select(test.db, 'INSERT INTO sandbox_numbers VALUES (1)');
    assert.deepEqual([await read(), await count()], [[{ id: 1 }], [{ count: 1 }]]);
    await select(test.db, `ALTER TABLE sandbox_numbers ADD COLUMN word text DEFAULT 'new'`);
    await assert.rejects(read(), /cached plan must not change result type/);
    assert.deepEqual([await read(), await count()], [[{ id: 1, word: 'new' }], [{ count: 1 }]]);
    const [before, after] = await namesOf(db, 'SELECT * FROM sandbox_numbers WHERE id = $1');
    assert.ok(before !== undefined && after !== undefined && before !== after, `${before}, ${after}`);
  });
});
