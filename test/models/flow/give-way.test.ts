import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { givingWayTo, UrgentWork } from '../../../models/flow/give-way.js';

/** Whether a turn begins at once. The turn ends when the test calls `end`. */
async function beginsAtOnce(turn: Promise<() => void>): Promise<boolean> {
  return (await Promise.race([turn.then(() => true), settled().then(() => false)])) satisfies boolean;
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('work that gives way', () => {
  it('never waits while nothing is urgent', async () => {
    const pace = givingWayTo(new UrgentWork());
    for (let turns = 0; turns < 3; turns += 1) assert.equal(await beginsAtOnce(pace.turn()), true);
  });

  it('takes one turn at a time while another thread has urgent work', async () => {
    const urgent = new UrgentWork();
    const pace = givingWayTo(new UrgentWork(urgent.memory));
    const endUrgent = await urgent.pace.turn();
    const endFirst = await pace.turn();
    const second = pace.turn();
    assert.equal(await beginsAtOnce(second), false);
    endFirst();
    (await second)();
    endUrgent();
  });

  it('never waits longer than its limit, so a turn within a turn does not wait for itself', async () => {
    const urgent = new UrgentWork();
    const endUrgent = await urgent.pace.turn();
    const pace = givingWayTo(urgent);
    const ends = [await pace.turn(), await pace.turn(), await pace.turn()];
    for (const end of [...ends, endUrgent]) end();
  });

  it('counts urgent work as under way until shortly after its end', async () => {
    const urgent = new UrgentWork();
    (await urgent.pace.turn())();
    assert.equal(urgent.isInProgress, true);
    for (const until = Date.now() + 2_000; urgent.isInProgress && Date.now() < until; ) await settled();
    assert.equal(urgent.isInProgress, false);
  });

  describe('after a heavy turn', () => {
    const turnMs = 200;
    const waitMsMax = 300;
    const besideUrgent = async (ownerOf: () => string | undefined) => {
      const urgent = new UrgentWork();
      return { endUrgent: await urgent.pace.turn(), pace: givingWayTo(urgent, ownerOf) };
    };
    const heavyTurn = async () => {
      const { endUrgent, pace } = await besideUrgent(() => 'one');
      const [end, endShorter] = [await pace.turn(), await pace.turn()];
      await sleep(turnMs);
      end();
      endShorter();
      return { pace, endUrgent, endedAt: performance.now() };
    };

    it('rests for several times its length while there is urgent work', async () => {
      const { pace, endUrgent, endedAt } = await heavyTurn();
      (await pace.turn())();
      assert.ok(performance.now() - endedAt > 2.5 * turnMs);
      endUrgent();
    });

    it('delays only the work of the same owner, also while another owner works', async () => {
      let owner: string | undefined = 'heavy';
      const { endUrgent, pace } = await besideUrgent(() => owner);
      const end = await pace.turn();
      await sleep(turnMs);
      end();
      let isResting = true;
      const heavy = pace.turn().then((endHeavy) => {
        isResting = false;
        endHeavy();
      });
      owner = 'other';
      const endOther = await pace.turn();
      await sleep(waitMsMax);
      assert.equal(isResting, true);
      owner = undefined;
      endOther();
      (await pace.turn())();
      assert.equal(isResting, true, 'work without an owner does not rest');
      endUrgent();
      await heavy;
    });

    it('does not wait until the end of the rest within a turn of the same owner', async () => {
      const { endUrgent, pace } = await besideUrgent(() => 'one');
      const [outer, heavy] = [await pace.turn(), await pace.turn()];
      await sleep(turnMs);
      heavy();
      const restsFrom = performance.now();
      (await pace.turn())();
      assert.ok(performance.now() - restsFrom < 1_000);
      outer();
      endUrgent();
    });

    it('does not begin in a short gap of the urgent work, and ends its rest early in a long one', async () => {
      const { pace, endUrgent, endedAt } = await heavyTurn();
      endUrgent();
      (await pace.turn())();
      const restedMs = performance.now() - endedAt;
      assert.ok(restedMs > 250 && restedMs < 1_000, `rested for ${restedMs} ms`);
      assert.equal(await beginsAtOnce(pace.turn()), true);
    });
  });

  it('rests between the steps of a turn until nothing is urgent', async () => {
    const urgent = new UrgentWork();
    const { rest } = givingWayTo(urgent);
    await rest(60_000); // nothing is urgent: no rest
    const endUrgent = await urgent.pace.turn();
    let isOver = false;
    const resting = rest(1_000_000).then(() => (isOver = true));
    await settled();
    assert.equal(isOver, false);
    endUrgent();
    await resting;
  });
});
