import { forEachChannel } from '../../../../models/channels.js';
import assert from 'node:assert/strict';
import { type CallCount, claimAccountProbe, noteCalls } from '../../../../models/operations/handoff/account-health.js';
import { readRoutes } from '../../../../models/operations/handoff/read-routes.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';

const windowSeconds = 60;

describe('the health of accounts', () => {
  const test = useDatabase();
  beforeEach(() => rows(test.db, 'TRUNCATE route_health, route_changes'));

  const note = (...counts: CallCount[]) => noteCalls(test.db, counts, windowSeconds);
  const levelOf = async (account: string) =>
    (await rows<{ level: number }>(test.db, 'SELECT level FROM route_health WHERE account = $1', [account]))[0]?.level;
  const changes = async () =>
    (
      await rows<{ change: string }>(
        test.db,
        `SELECT account || ':' || from_level || '>' || to_level AS change FROM route_changes ORDER BY id`,
      )
    ).map(({ change }) => change);
  const age = (seconds: number, column = 'window_at') =>
    rows(test.db, `UPDATE route_health SET ${column} = ${column} - $1 * interval '1 second'`, [seconds]);

  it('the health of accounts adds the counts of several workers, and changes a level once with its reason', async () => {
    await note({ account: 'a', calls: 3, bad: 3 }, { account: 'b', calls: 9, bad: 0 });
    assert.deepEqual(await changes(), []);
    const told = await Promise.all([note({ account: 'a', calls: 2, bad: 2 }), note({ account: 'a', calls: 2, bad: 2 })]);
    assert.deepEqual(await changes(), ['a:10>0']);
    assert.equal(told.flatMap((each) => each.changes).length, 1);
    assert.deepEqual([await levelOf('a'), await levelOf('b')], [0, 10]);
    const [reason] = await rows<{ reason: string }>(test.db, 'SELECT reason FROM route_changes');
    assert.match(reason?.reason ?? '', /^[5-7] of [5-7] calls failed or took too long$/);
  });

  it('the health of accounts counts bad calls in a row over all workers until a good one', async () => {
    await note({ account: 'a', calls: 90, bad: 0 });
    await note({ account: 'a', calls: 5, bad: 5 });
    await note({ account: 'a', calls: 3, bad: 2 });
    await note({ account: 'a', calls: 7, bad: 7 });
    assert.deepEqual(await changes(), []);
    await note({ account: 'a', calls: 1, bad: 1 });
    assert.deepEqual(await changes(), ['a:10>0']);
    const [told] = await rows<{ reason: string }>(test.db, 'SELECT reason FROM route_changes');
    assert.equal(told?.reason, '8 calls in a row failed or took too long');
    await note({ account: 'a', calls: 1, bad: 0 });
    assert.equal(await levelOf('a'), 1);
    await note({ account: 'a', calls: 1, bad: 1 });
    assert.equal(await levelOf('a'), 1, 'counted anew since then');
  });

  it('the health of accounts forgets calls before the window', async () => {
    await note({ account: 'a', calls: 4, bad: 4 });
    await age(90); // a window and a half: half of those 4 counts
    await note({ account: 'a', calls: 0, bad: 0 });
    await note({ account: 'a', calls: 2, bad: 2 });
    assert.deepEqual(await changes(), [], '2 of the older ones and 2 new ones are not enough');
    await age(200);
    await note({ account: 'a', calls: 4, bad: 4 });
    assert.deepEqual(await changes(), []);
  });

  it('the health of accounts gives a due probe to one worker, and each pause is longer', async () => {
    const { id } = await buildWorkspace(test.db, 100_000);
    const { group_id } = await buildQueued(test.db, id);
    const probe = (channels = ['sms']) => claimAccountProbe(test.db, 'a', { groupId: group_id, channels, windowSeconds });
    await note({ account: 'a', calls: 5, bad: 5 });
    assert.equal(await probe(), false, 'not yet');
    await age(6, 'probe_at');
    assert.equal(await probe(['email']), false, 'the group has nothing for it');
    assert.deepEqual((await Promise.all([probe(), probe(), probe()])).filter(Boolean).length, 1);
    const pauses: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const [row] = await rows<{ pause: number }>(test.db, 'SELECT probe_pause AS pause FROM route_health');
      pauses.push(row?.pause ?? 0);
      await age(31, 'probe_at');
      assert.equal(await probe(), true);
    }
    assert.deepEqual(pauses, [10, 20, 30, 30]);
    await note({ account: 'a', calls: 1, bad: 0 });
    assert.equal(await levelOf('a'), 1);
    await age(31, 'changed_at');
    await note({ account: 'a', calls: 5, bad: 0 });
    assert.deepEqual(await changes(), ['a:10>0', 'a:0>1', 'a:1>3']);
  });

  it('the health of accounts shows shares and recent changes to operators', async () => {
    await note({ account: 'a', calls: 5, bad: 5 }, { account: 'b', calls: 5, bad: 0 });
    const route = [
      { account: 'a', weight: 3 },
      { account: 'b', weight: 1 },
    ];
    const { states, changes: last } = await readRoutes(test.db, { ...forEachChannel(() => []), sms: route }, 5);
    assert.deepEqual(
      states.map(({ account, health, share }) => [account, health, share]),
      [
        ['a', 0, 0],
        ['b', 100, 100],
      ],
    );
    assert.deepEqual(
      last.map(({ account, to_level }) => [account, to_level]),
      [['a', 0]],
    );
  });
});
