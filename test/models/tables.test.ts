import assert from 'node:assert/strict';
import { select } from '../../models/db/database.js';
import type { Columns } from '../../models/tables/columns.js';
import { useDatabase } from '../support/for-each.js';

/** What a migration has made of a column. */
interface StoredColumn {
  name: string;
  type: string;
  is_nullable: boolean;
  has_default: boolean;
}

const storedColumns = `
  SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS is_nullable, a.atthasdef OR a.attidentity <> '' AS has_default
  FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`;

describe('declared columns', () => {
  const test = useDatabase();

  it('declared columns have the type, nulls and defaults of the schema', async () => {
    const models = Object.values(test.db.models);
    assert.ok(models.length >= 19, `${models.length} models`);
    for (const model of models) {
      const { columns, tableName: table } = model as unknown as { columns: Columns; tableName: string };
      const stored = new Map((await select<StoredColumn>(test.db, storedColumns, [table])).map((column) => [column.name, column]));
      for (const [name, { type, isNullable, isGiven }] of Object.entries(columns)) {
        const column = stored.get(name);
        assert.ok(column, `${table}.${name} is not in the schema`);
        assert.deepEqual({ type: column.type, isNullable: column.is_nullable }, { type, isNullable }, `${table}.${name}`);
        assert.ok(isGiven || column.has_default || column.is_nullable, `${table}.${name} has no default`);
      }
    }
  });
});
