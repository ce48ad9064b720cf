import assert from 'node:assert/strict';
import { EndpointHealth } from '../../activities/endpoint-health.js';

describe('EndpointHealth', () => {
  const at = 1_000_000;

  it('knows nothing bad of an endpoint at first', () => {
    assert.equal(new EndpointHealth().isFailing('w', at), false);
  });

  for (const [what, succeeded, durationMs] of [
    ['failed', false, 5],
    ['was slow', true, 2_000],
  ] as const) {
    it(`calls an endpoint failing for a minute after it ${what}`, () => {
      const health = new EndpointHealth();
      health.note('w', succeeded, durationMs, at);
      assert.deepEqual(
        [health.isFailing('w', at), health.isFailing('w', at + 59_999), health.isFailing('w', at + 60_000)],
        [true, true, false],
      );
      assert.equal(health.isFailing('other', at), false);
    });
  }

  it('forgives an endpoint that acknowledges quickly', () => {
    const health = new EndpointHealth();
    health.note('w', false, 5, at);
    health.note('w', true, 1_999, at + 1);
    assert.equal(health.isFailing('w', at + 1), false);
  });

  it('counts the minute from the last failure', () => {
    const health = new EndpointHealth();
    health.note('w', false, 5, at);
    health.note('w', false, 5, at + 50_000);
    assert.deepEqual([health.isFailing('w', at + 109_999), health.isFailing('w', at + 110_000)], [true, false]);
  });
});
