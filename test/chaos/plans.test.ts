import assert from 'node:assert/strict';
import { planLoad } from './load/plan.js';
import { nemesesOf, nemesisNames } from './nemeses/all.js';
import { readOptions } from './options.js';
import { randomOf } from './random.js';

describe('the plans of the battery', () => {
  it('the plans of the battery are the same for the same seed, and differ for another', () => {
    const plan = (seed: number) => JSON.stringify(planLoad({ seed, loadMs: 60_000, bursts: 1 }, randomOf(seed).fork('load')));
    assert.equal(plan(5), plan(5));
    assert.notEqual(plan(5), plan(6));
    assert.deepEqual(nemesesOf(5), nemesesOf(5));
  });

  it('every nemesis is in at least ten plans of any sixty seeds, and several are in each plan', () => {
    for (const first of [0, 1, 17, 1_000]) {
      const seeds = Array.from({ length: 60 }, (_, index) => nemesesOf(first + index));
      assert.ok(seeds.every((names) => names.length >= 4));
      for (const name of nemesisNames) assert.ok(seeds.filter((names) => names.includes(name)).length >= 10, name);
    }
  });

  it('plans of the battery give each message its own token and its own recipient', () => {
    const { acts } = planLoad({ seed: 9, loadMs: 60_000, bursts: 1 }, randomOf(9).fork('load'));
    const items = acts.flatMap((act) => {
      if (act.kind === 'send') return [act.item];
      return act.kind === 'bulk' ? act.items : [];
    });
    assert.ok(items.length > 100);
    assert.equal(new Set(items.map(({ token }) => token)).size, items.length);
    assert.equal(new Set(items.map(({ to }) => to)).size, items.length);
  });

  it('the plans of the battery leave a batch paused only if its messages expire, and contain every operation in a few minutes', () => {
    const { acts } = planLoad({ seed: 9, loadMs: 10 * 60_000, bursts: 1 }, randomOf(9).fork('load'));
    const steps = acts.flatMap((act) => (act.kind === 'bulk' ? [{ expires: act.expiresInMs !== undefined, steps: act.steps }] : []));
    const isLeft = (changes: readonly { change: string }[]) =>
      changes.some(({ change }) => change === 'pause') && !changes.some(({ change }) => change === 'resume');
    assert.ok(steps.some((batch) => isLeft(batch.steps)));
    assert.ok(steps.every((batch) => batch.expires || !isLeft(batch.steps)));
    const done = new Set(steps.flatMap((batch) => batch.steps.map(({ change }) => change)));
    for (const each of ['pause', 'resume', 'cancel-batch', 'get-batch', 'cancel-some', 'suppress-some'] as const)
      assert.ok(done.has(each), each);
    for (const kind of ['replay', 'resend'])
      assert.ok(
        acts.some((act) => act.kind === kind),
        kind,
      );
    for (const after of ['repeatAfterMs', 'cancelAfterMs', 'suppressAfterMs', 'eraseAfterMs', 'stop'] as const)
      assert.ok(
        acts.some((act) => act.kind === 'send' && act[after] !== undefined),
        after,
      );
  });

  it('the plans of the battery follow the command line, which refuses unknown options', () => {
    assert.deepEqual(readOptions(['--seeds', '3-5', '--nemeses', 'cut,kill-api']).seeds, [3, 4, 5]);
    assert.deepEqual(readOptions(['--seed', '3', '--nemeses', 'none']).nemeses, []);
    for (const [refusal, ...args] of [
      [/^Error: give either --seed N or --seeds A-B$/],
      [/whole numbers from 0 to/, '--seed', 'x'],
      [/A not above B$/, '--seeds', '5-3'],
      [/^Error: --nemeses: "flood" is none of/, '--seed', '1', '--nemeses', 'flood'],
      [/^Error: --minutes must be above 0/, '--seed', '1', '--minutes', '0'],
      [/^Error: --bursts must be above 0/, '--seed', '1', '--bursts', '0'],
    ] as const) {
      assert.throws(() => readOptions(args), refusal);
    }
  });
});
