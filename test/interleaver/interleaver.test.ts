import assert from 'node:assert/strict';
import { inTransaction, select } from '../../models/db/database.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import type { Draw } from './drawing.js';
import { operations } from './operations.js';
import { explain, Interleaver } from './schedule.js';
import { messagesOf } from './world.js';

/** Faulty operations: each works alone, and not beside another. */
const planted: Record<'locksWorkspaces' | 'readsThenWrites' | 'tellsTwice', Draw> = {
  // Two workspaces in an order of chance.
  locksWorkspaces: ({ db, world, random }) => {
    const ids = random.shuffled(world.workspaceIds).slice(0, 2);
    const run = () =>
      inTransaction(db, async (transaction) => {
        for (const id of ids) await select(db, 'SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE', [id], transaction);
      });
    return { name: 'locksWorkspaces', run };
  },
  // What another has written in between is lost.
  readsThenWrites: ({ db, world, random }) => {
    const id = random.pick(world.workspaceIds);
    const run = async () => {
      const [row] = await select<{ balance: number }>(db, 'SELECT balance FROM workspaces WHERE id = $1', [id]);
      await select(db, 'UPDATE workspaces SET balance = $2 WHERE id = $1', [id, row?.balance]);
    };
    return { name: 'readsThenWrites', run };
  },
  // Checks whether a signal was sent, and sends it.
  tellsTwice: ({ db, world, random }) => {
    const message = messagesOf(world).find(({ stage }) => stage === 'queued');
    if (message === undefined) return null;
    const { id, workspaceId } = message;
    const eventId = random.uuid();
    const run = async () => {
      const told = await select(db, `SELECT 1 FROM events WHERE message_id = $1 AND type = 'message.queued'`, [id]);
      const insert = `INSERT INTO events (id, workspace_id, message_id, type, body) VALUES ($1, $2, $3, 'message.queued', '{}')`;
      if (told.length === 0) await select(db, insert, [eventId, workspaceId, id]);
    };
    return { name: 'tellsTwice', run };
  },
};

describe('the interleaver', function () {
  this.timeout(300_000); // of which a machine with nothing else to do needs a tenth
  let test: TestDatabase;
  let interleaver: Interleaver | undefined;
  beforeEach(async () => {
    test = await freshDatabase(); // the interleaver changes its schema
  });
  afterEach(async () => {
    await interleaver?.close();
    await test.drop();
  });
  const interleave = async (draws: Readonly<Record<string, Draw>>) => {
    interleaver = new Interleaver(test.db, test.url, draws);
    await interleaver.open();
    return interleaver;
  };

  const faults: [fault: keyof typeof planted, beside: string[], what: RegExp][] = [
    ['locksWorkspaces', [], /40P01/],
    ['readsThenWrites', ['payment', 'take-back'], /every balance is the sum of its ledger/],
    ['tellsTwice', [], /two events: message\.queued/],
  ];
  for (const [fault, beside, what] of faults) {
    it(`the interleaver finds the planted fault ${fault}, and says how to repeat it`, async () => {
      const others = Object.fromEntries(beside.map((name) => [name, operations[name] as Draw]));
      const { failures } = await (await interleave({ [fault]: planted[fault], ...others })).schedules(1, 300);
      const [failure] = failures;
      assert.ok(failure, 'it is not found');
      assert.match(failure.violations.join('\n'), what);
      assert.match(explain(failure, fault), new RegExp(`--schedules 1 --seed ${failure.seed} --operations ${fault}`));
    });
  }

  it('the interleaver takes the same steps for the same seed', async () => {
    const { accept, ...named } = { accept: operations['accept-messages'] as Draw, locksWorkspaces: planted.locksWorkspaces };
    const run = await interleave({ 'accept-messages': accept, ...named });
    const once = await run.schedules(1, 100, 3);
    const again = await run.schedules(1, 100, 3);
    assert.ok(once.failures.length > 0);
    assert.deepEqual(
      again.failures.map(({ seed }) => seed),
      once.failures.map(({ seed }) => seed),
    );
  });

  // Those that lock several messages of a group meet seldom among all. CI runs 2,000 more of all, see .ci/run.
  const sets: [count: number, what: string, names: string[]][] = [
    [300, 'all operations', Object.keys(operations)],
    [200, 'hand-offs and reports', ['apply-reports', 'hand-off', 'record-handoffs', 'give-up-handoffs']],
  ];
  for (const [count, what, names] of sets) {
    it(`the interleaver finds nothing wrong in ${count} schedules of ${what}`, async () => {
      const draws = Object.fromEntries(names.map((name) => [name, operations[name] as Draw]));
      const { failures, done } = await (await interleave(draws)).schedules(1, count);
      const told = failures.map((failure) => explain(failure, what === 'all operations' ? '' : names.join()));
      assert.equal(failures.length, 0, told.join('\n'));
      assert.equal(done, count);
    });
  }
});
