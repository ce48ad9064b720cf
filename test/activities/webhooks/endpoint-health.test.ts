import assert from 'node:assert/strict';
import { SharedEndpointStats } from '../../../activities/webhooks/shared-endpoint-stats.js';
import { EndpointHealth } from '../../../activities/webhooks/endpoint-health.js';
import { withClock } from '../../support/shift-clock.js';

describe('EndpointHealth', () => {
  const at = 1_000_000;

  it('a new endpoint counts as healthy', () => {
    assert.equal(new EndpointHealth(new SharedEndpointStats()).isFailing('w', at), false);
  });

  for (const [what, succeeded, durationMs] of [
    ['failed', false, 5],
    ['was slow', true, 2_000],
  ] as const) {
    it(`an endpoint counts as failing for a minute after it ${what}`, () => {
      const health = new EndpointHealth(new SharedEndpointStats());
      health.note('w', succeeded, durationMs, at);
      assert.deepEqual(
        [health.isFailing('w', at), health.isFailing('w', at + 59_999), health.isFailing('w', at + 60_000)],
        [true, true, false],
      );
      assert.equal(health.isFailing('other', at), false);
    });
  }

  it('an endpoint counts as failing for a minute also when the clock is set meanwhile', async () => {
    const health = new EndpointHealth(new SharedEndpointStats());
    health.noteLate('w');
    assert.equal(await withClock(61_000, async () => health.isFailing('w')), true);
  });

  it('a failing endpoint counts as healthy again when it acknowledges quickly', () => {
    const health = new EndpointHealth(new SharedEndpointStats());
    health.note('w', false, 5, at);
    health.note('w', true, 1_999, at + 1);
    assert.equal(health.isFailing('w', at + 1), false);
  });

  it('an endpoint is late after a second when no other webhook waits', () => {
    assert.equal(new EndpointHealth(new SharedEndpointStats()).lateAfterMs('w', false), 1_000);
  });

  it('an endpoint is late after several usual times when others wait, within bounds', () => {
    const health = new EndpointHealth(new SharedEndpointStats());
    const after = (durationMs: number) => {
      for (let index = 0; index < 50; index += 1) health.note('w', true, durationMs, at);
      return [Math.round(health.lateAfterMs('w', true)), health.isSlow('w')];
    };
    assert.deepEqual([health.lateAfterMs('w', true), health.isSlow('w')], [250, false], 'nothing is known');
    assert.deepEqual([3, 50, 200, 400, 10].map(after), [
      [100, false],
      [200, false],
      [250, false],
      [250, true],
      [100, false],
    ]);
  });

  it('a thread knows what another thread noted about an endpoint', () => {
    const board = new SharedEndpointStats();
    const [health, inOtherThread] = [new EndpointHealth(board), new EndpointHealth(new SharedEndpointStats(board.memory))];
    health.noteLate('w', at);
    assert.equal(inOtherThread.isFailing('w', at), true);
    inOtherThread.note('w', true, 400, at);
    assert.deepEqual([health.isFailing('w', at), health.isSlow('w')], [false, true]);
  });

  it('the minute of a failing endpoint begins at its last failure', () => {
    const health = new EndpointHealth(new SharedEndpointStats());
    health.note('w', false, 5, at);
    health.note('w', false, 5, at + 50_000);
    assert.deepEqual([health.isFailing('w', at + 109_999), health.isFailing('w', at + 110_000)], [true, false]);
  });
});
