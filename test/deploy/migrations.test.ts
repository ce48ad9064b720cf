import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOfMigration } from './migration-rules.js';
import { root, textOf } from './project.js';

const folder = 'models/migrations';

describe('migrations', () => {
  for (const name of readdirSync(join(root, folder)).filter((file) => file.endsWith('.sql')))
    it(`${name} leaves processes of the former version at work`, () => {
      assert.deepEqual(faultsOfMigration(name, textOf(`${folder}/${name}`)), []);
    });

  const refused: [sql: string, fault: string][] = [
    ['DROP TABLE replays;', 'drops a table'],
    ['ALTER TABLE messages DROP COLUMN reference;', 'drops a column'],
    ['ALTER TABLE messages RENAME COLUMN "to" TO recipient;', 'renames'],
    ['ALTER TABLE messages ALTER COLUMN cost TYPE integer;', 'changes the type of a column'],
    ['ALTER TABLE messages ALTER COLUMN reference SET NOT NULL;', 'forbids null in a column'],
    [
      'ALTER TABLE messages ADD COLUMN a integer DEFAULT 1, ADD COLUMN b integer NOT NULL;',
      'adds a column without a default that must not be null',
    ],
    ['ALTER TABLE messages ADD CONSTRAINT positive CHECK (cost > 0);', 'checks a constraint without NOT VALID'],
    ['ALTER TABLE messages ADD FOREIGN KEY (batch_id)\n  REFERENCES batches;', 'checks a constraint without NOT VALID'],
    ['CREATE UNIQUE INDEX messages_reference ON messages (reference);', 'builds an index that stops writes'],
  ];
  for (const [sql, fault] of refused)
    it(`a migration is refused with ${sql.replaceAll('\n', ' ')}`, () => {
      assert.deepEqual(faultsOfMigration('9999-x.sql', sql), [fault]);
    });

  const allowed = [
    "ALTER TABLE messages ADD COLUMN a integer, ADD COLUMN b integer NOT NULL DEFAULT 0, ADD COLUMN c text DEFAULT '' NOT NULL;",
    'CREATE TABLE news (id uuid PRIMARY KEY, a integer NOT NULL CHECK (a > 0)); CREATE INDEX news_a ON news (a);',
    'ALTER TABLE messages ADD CONSTRAINT positive CHECK (cost > 0) NOT VALID;',
    '-- no transaction\nCREATE INDEX CONCURRENTLY messages_reference ON messages (reference);',
    '-- unused since 2.0\nALTER TABLE messages DROP COLUMN reference;',
    '-- A comment about DROP TABLE.\nSELECT 1;',
  ];
  for (const sql of allowed)
    it(`a migration is allowed with ${sql.replaceAll('\n', ' ')}`, () => {
      assert.deepEqual(faultsOfMigration('9999-x.sql', sql), []);
    });
});
