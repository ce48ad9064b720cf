import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { migrate } from '../../../../models/migrate.js';
import { acceptMessages } from '../../../../models/operations/messages/accept-messages.js';
import { cancelMessage } from '../../../../models/operations/messages/cancel-message.js';
import { cancelBatch } from '../../../../models/operations/batches/change-batch.js';
import { fallBack } from '../../../../models/operations/messages/fall-back.js';
import { fenceBatch } from '../../../../models/operations/batches/fence-batch.js';
import { fenceMessages } from '../../../../models/operations/messages/fence-messages.js';
import { insertMessages } from '../../../../models/operations/messages/insert-messages.js';
import { listMessages } from '../../../../models/operations/messages/list-messages.js';
import { workflowIds } from '../../../../workflows/contract.js';
import { acceptBatch, buildAcceptedBatch, buildBatch } from '../../../support/rows/batches.js';
import { rows } from '../../../support/database.js';
import { buildQueued, buildUndecided, buildWebhook, newMessage } from '../../../support/rows/factories.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { acceptedAs, buildGroup, claimAll, noFilters, sandboxEverywhere } from '../../../support/rows/messages.js';
import { recordHandoffs } from '../../../support/rows/reports.js';

/** After each test the books are compared with what is counted. */
describe('how many messages a workspace has', () => {
  const test = workspaceForEach({ balance: 10_000, poolMax: 20 });
  const thrice = <Result>(decide: () => Promise<Result>) => Promise.all([decide(), decide(), decide()]);
  const unaffordable = 1_000_000;

  /** A message at the provider, and what follows it for this price when its time is over; twice, as every step may run. */
  const fallBackFor = async (price: number) => {
    const id = uuidv7();
    const message = newMessage({ id, workspace_id: test.workspaceId, group_id: id });
    const step = { channel: 'email', to: 'a@example.test', after: 60, content: {}, price, segments: null, encoding: null } as const;
    await insertMessages(test.db, { groupId: id, workflowId: workflowIds.message(id), messages: [message], fallback: [step] });
    await acceptMessages(test.db, id);
    await recordHandoffs(
      test.db,
      (await claimAll(test.db, id, sandboxEverywhere)).map((claim) => acceptedAs(claim)),
    );
    await thrice(() => fallBack(test.db, id, true, workflowIds.message));
  };

  const cases: Record<string, [shown: number, decide: () => Promise<unknown>]> = {
    'no undecided one': [0, () => buildUndecided(test.db, test.workspaceId)],
    'one that is accepted, once': [
      1,
      async () => {
        const { group_id } = await buildUndecided(test.db, test.workspaceId);
        await thrice(() => acceptMessages(test.db, group_id));
      },
    ],
    'one whose events go to a webhook': [
      1,
      async () => {
        await buildWebhook(test.workspaceId, 'https://one.example.test/');
        await buildQueued(test.db, test.workspaceId);
      },
    ],
    'one that is scheduled': [1, () => buildQueued(test.db, test.workspaceId, { scheduled_at: new Date(), status_detail: 'scheduled' })],
    'one that is cancelled': [1, async () => cancelMessage(test.db, test.workspaceId, (await buildQueued(test.db, test.workspaceId)).id)],
    'none that the balance does not hold': [0, () => buildQueued(test.db, test.workspaceId, { cost: unaffordable })],
    'none that is fenced': [0, async () => fenceMessages(test.db, [(await buildUndecided(test.db, test.workspaceId)).id])],
    'those of a group that the balance holds': [
      2,
      async () => {
        const { groupId } = await buildGroup(test.db, test.workspaceId, [{}, { cost: unaffordable }, {}]);
        await thrice(() => acceptMessages(test.db, groupId));
      },
    ],
    'those of a batch, once': [
      5,
      async () => {
        const { id } = await buildBatch(test.db, test.workspaceId, [2, 3]);
        await thrice(() => acceptBatch(test.db, id));
      },
    ],
    'those of a batch that is cancelled': [
      5,
      async () => cancelBatch(test.db, test.workspaceId, (await buildAcceptedBatch(test.db, test.workspaceId, [2, 3])).id),
    ],
    'none of a batch that the balance does not hold': [0, () => buildAcceptedBatch(test.db, test.workspaceId, [11])],
    'none of a batch that is fenced': [0, async () => fenceBatch(test.db, (await buildBatch(test.db, test.workspaceId, [1])).id)],
    'one that is sent instead': [2, () => fallBackFor(2_000)],
    'one that is sent instead and costs nothing more': [2, () => fallBackFor(100)],
    'none that cannot be sent instead': [1, () => fallBackFor(unaffordable)],
    'all that are accepted at the same time': [
      10,
      async () => {
        const alone = await Promise.all(Array.from({ length: 9 }, () => buildUndecided(test.db, test.workspaceId)));
        const [group, batch] = [await buildGroup(test.db, test.workspaceId, [{}, {}]), await buildBatch(test.db, test.workspaceId, [2])];
        const accepted = [...alone.map(({ group_id }) => group_id), group.groupId].map((groupId) => acceptMessages(test.db, groupId));
        await Promise.all([...accepted, acceptBatch(test.db, batch.id)]);
      },
    ],
  };
  for (const [what, [shown, decide]] of Object.entries(cases)) {
    it(`the number of messages counts ${what}`, async () => {
      await decide();
      const { rows: messages, total } = await listMessages(test.db, test.workspaceId, noFilters, { page: 1, limit: 100 });
      assert.deepEqual([total, messages.length], [shown, shown]);
    });
  }

  it('the migration counts the messages of a workspace once', async () => {
    await buildAcceptedBatch(test.db, test.workspaceId, [2, 3]);
    await buildUndecided(test.db, test.workspaceId);
    const migration = '0016-message-count.sql';
    await rows(test.db, 'ALTER TABLE workspaces DROP COLUMN message_count');
    await rows(test.db, 'DELETE FROM schema_migrations WHERE name = $1', [migration]);
    assert.deepEqual(await migrate(test.db), [migration]);
    assert.equal((await listMessages(test.db, test.workspaceId, noFilters, { page: 1, limit: 1 })).total, 5);
  });
});
