import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createYieldingPace, type Pace, UrgentWork } from '../../../models/flow/give-way.js';

/** Asks for a turn. The turn lasts until the test calls `end`. */
function askForTurn(pace: Pace) {
  const turn = { hasBegun: false, begun: Promise.resolve(), end: () => Promise.resolve() };
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  turn.begun = new Promise((resolve) => {
    const ended = pace.run(() => {
      turn.hasBegun = true;
      resolve();
      return released;
    });
    turn.end = () => {
      release();
      return ended;
    };
  });
  return turn;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
/** Longer than the gaps between the steps of a message, and shorter than the time for which urgent work counts as recent. */
const gapMs = 100;
/** Longer than that time. */
const aWhileMs = 400;
/** Several times as long as a thread takes to look again. */
const lookedAgain = () => sleep(50);

describe('work that gives way', () => {
  let urgent: UrgentWork;
  let clock: number;
  let urgentWork: ReturnType<typeof askForTurn>;
  beforeEach(() => {
    clock = 1_000_000;
    urgent = new UrgentWork(undefined, () => clock);
    urgentWork = askForTurn(urgent.pace);
  });
  afterEach(() => urgentWork.end());

  it('work that gives way never waits while nothing was urgent', async () => {
    const pace = createYieldingPace(new UrgentWork());
    const turns = [askForTurn(pace), askForTurn(pace), askForTurn(pace)];
    await settled();
    assert.ok(turns.every(({ hasBegun }) => hasBegun));
    for (const { end } of turns) await end();
  });

  it('work that gives way takes one turn at a time while another thread has urgent work', async () => {
    const pace = createYieldingPace(new UrgentWork(urgent.memory));
    const [first, second] = [askForTurn(pace), askForTurn(pace)];
    await lookedAgain();
    assert.deepEqual([first.hasBegun, second.hasBegun], [true, false]);
    await first.end();
    await second.begun;
    await second.end();
  });

  it('work that gives way takes one turn at a time also in a short gap of the urgent work', async () => {
    const pace = createYieldingPace(urgent);
    const [first, second] = [askForTurn(pace), askForTurn(pace)];
    await urgentWork.end();
    clock += gapMs;
    await lookedAgain();
    assert.equal(second.hasBegun, false);
    await first.end();
    await second.begun;
    await second.end();
  });

  it('all turns begin when nothing was urgent for a while', async () => {
    const pace = createYieldingPace(urgent);
    const [first, second, third] = [askForTurn(pace), askForTurn(pace), askForTurn(pace)];
    await urgentWork.end();
    clock += aWhileMs;
    await Promise.all([second.begun, third.begun]);
    for (const { end } of [first, second, third]) await end();
  });

  it('work that gives way does not wait for itself: work within a turn begins at once', async () => {
    const pace = createYieldingPace(urgent);
    assert.equal(await pace.run(() => pace.run(() => Promise.resolve('done'))), 'done');
  });

  it('work that an ended turn has left behind waits for a turn of its own', async () => {
    const pace = createYieldingPace(urgent);
    let goOn: () => void = () => undefined;
    const after = new Promise<void>((resolve) => (goOn = resolve));
    let left: Promise<ReturnType<typeof askForTurn>> | undefined;
    await pace.run(async () => void (left = after.then(() => askForTurn(pace))));
    const present = askForTurn(pace);
    await present.begun;
    goOn();
    const later = await left;
    assert.equal(later?.hasBegun, false);
    await present.end();
    await later?.begun;
    await later?.end();
  });

  it('owners take turns at work that gives way', async () => {
    let owner = 'one';
    const pace = createYieldingPace(urgent, () => owner);
    const order: string[] = [];
    const ask = (name: string) => pace.run(async () => void order.push(name));
    const all = [ask('one 1'), ask('one 2'), ask('one 3')];
    owner = 'two';
    all.push(ask('two 1'));
    await Promise.all(all);
    assert.deepEqual(order, ['one 1', 'one 2', 'two 1', 'one 3']);
  });

  it('urgent work counts as under way until shortly after its end, and as recent for longer', async () => {
    await urgentWork.end();
    assert.deepEqual([urgent.isInProgress, urgent.isRecent], [true, true]);
    clock += gapMs;
    assert.deepEqual([urgent.isInProgress, urgent.isRecent], [false, true]);
    clock += aWhileMs;
    assert.equal(urgent.isRecent, false);
  });

  it('a turn rests between its steps until nothing is urgent', async () => {
    const { rest } = createYieldingPace(urgent);
    await createYieldingPace(new UrgentWork()).rest(60_000); // nothing is urgent: no rest
    let isOver = false;
    const resting = rest(1_000_000).then(() => (isOver = true));
    await settled();
    assert.equal(isOver, false);
    await urgentWork.end();
    clock += gapMs;
    await resting;
  });

  it('another turn begins while one rests between its steps', async () => {
    const pace = createYieldingPace(urgent);
    const resting = pace.run(async () => {
      await pace.rest(100);
      return 'rested';
    });
    const other = askForTurn(pace);
    await other.begun;
    await other.end();
    assert.equal(await resting, 'rested');
  });

  it('a turn begins beside another one after two seconds', async () => {
    const pace = createYieldingPace(urgent);
    const long = askForTurn(pace);
    await long.begun;
    const other = askForTurn(pace);
    const askedAt = performance.now();
    await other.begun;
    assert.ok(performance.now() - askedAt > 1_900);
    for (const { end } of [other, long]) await end();
  });

  describe('after a heavy turn', () => {
    const turnMs = 150;
    const heavyTurn = (pace: Pace) => pace.run(() => sleep(turnMs));

    it('a heavy turn is followed by a rest of several times its length while there is urgent work', async () => {
      const pace = createYieldingPace(urgent, () => 'one');
      await heavyTurn(pace);
      const endedAt = performance.now();
      await pace.run(settled);
      assert.ok(performance.now() - endedAt > 3 * turnMs);
    });

    it('a heavy turn delays only the work of its owner', async () => {
      let owner: string | undefined = 'heavy';
      const pace = createYieldingPace(urgent, () => owner);
      await heavyTurn(pace);
      const resting = askForTurn(pace);
      for (owner of ['other', undefined]) await pace.run(settled);
      assert.equal(resting.hasBegun, false);
      await resting.begun;
      await resting.end();
    });

    it('the rest after a heavy turn ends early when nothing was urgent for a while', async () => {
      const pace = createYieldingPace(urgent, () => 'one');
      await heavyTurn(pace);
      const endedAt = performance.now();
      await urgentWork.end();
      clock += aWhileMs;
      await pace.run(settled);
      assert.ok(performance.now() - endedAt < 10 * turnMs, 'else it rests for twelve times its length');
    });
  });
});
