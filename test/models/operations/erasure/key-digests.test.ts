import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { keyOldDigests } from '../../../../models/operations/erasure/key-digests.js';
import { keyedDigest } from '../../../../models/rules/contacts/erasure.js';
import { textOf } from '../../../deploy/project.js';
import { rows } from '../../../support/database.js';
import { useDatabase, workspaceForEach } from '../../../support/for-each.js';
import { buildOldBatch, oldBatchDigest as digest } from '../../../support/rows/batches.js';
import { buildUndecided, buildWorkspace } from '../../../support/rows/factories.js';
import { withClock } from '../../../support/shift-clock.js';

const key = Buffer.alloc(32, 1);
const hourMs = 3_600_000;

describe('the digests of old batches', () => {
  const test = useDatabase();
  /** A batch that was created so many hours ago. @returns its id */
  const batchOf = async (hours: number) =>
    buildOldBatch(test.db, (await buildWorkspace(test.db)).id, new Date(Date.now() - hours * hourMs));
  const digestOf = async (id: string) =>
    (await rows<{ request_digest: Buffer }>(test.db, 'SELECT request_digest FROM batches WHERE id = $1', [id]))[0]?.request_digest;
  const run = () => keyOldDigests(test.db, key, Date.now() + 20_000);

  it('the digest of a batch is keyed once when it is a day old', async () => {
    const [older, younger] = [await batchOf(25), await batchOf(23)];
    await run();
    await run();
    assert.deepEqual([await digestOf(older), await digestOf(younger)], [keyedDigest(key, digest), digest]);
  });

  it('the digest of a younger batch is not keyed by a worker whose clock is ahead', async () => {
    const id = await batchOf(23);
    await withClock(3 * hourMs, run);
    assert.deepEqual(await digestOf(id), digest);
  });

  it('the digest of a batch that is locked is keyed by a later run', async () => {
    const [held, free] = [await batchOf(25), await batchOf(25)];
    await test.db.transaction(async (transaction) => {
      await test.db.query(`SELECT 1 FROM batches WHERE id = '${held}' FOR UPDATE`, { transaction });
      await run();
      assert.deepEqual([await digestOf(held), await digestOf(free)], [digest, keyedDigest(key, digest)]);
    });
    await run();
    assert.deepEqual(await digestOf(held), keyedDigest(key, digest));
  });
});

describe('the digests of chains from which the former version removed recipients', () => {
  const test = workspaceForEach();
  const migration = textOf('models/migrations/0075-personal-data.sql').split(/;\s*$/m);
  const change = migration.find((statement) => statement.includes('UPDATE messages'));
  const whole = { channel: 'sms', to: '+15551110000', after: 60, price: 100 };
  const { to: _, ...cleared } = whole;

  /** @returns the digest of the first message of a chain after the migration */
  const digestAfter = async (before: Buffer, steps: object[]) => {
    const id = uuidv7();
    await buildUndecided(test.db, test.workspaceId, { id, idempotency_key: id, request_digest: before });
    const chain = "INSERT INTO fallbacks (message_id, steps, due_at, outcome) VALUES ($1, $2, now(), 'sent')";
    await rows(test.db, chain, [id, JSON.stringify(steps)]);
    await rows(test.db, change ?? assert.fail('no statement'));
    return (await rows<{ request_digest: Buffer }>(test.db, 'SELECT request_digest FROM messages WHERE id = $1', [id]))[0]?.request_digest;
  };

  it('the migration removes the digest of a chain that lacks a recipient, and no keyed digest', async () => {
    assert.deepEqual(await digestAfter(digest, [whole, cleared]), null);
    assert.deepEqual(await digestAfter(digest, [whole]), digest);
    assert.deepEqual(await digestAfter(keyedDigest(key, digest), [cleared]), keyedDigest(key, digest));
  });
});
