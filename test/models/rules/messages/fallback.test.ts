import assert from 'node:assert/strict';
import fc from 'fast-check';
import { capOf, contentOn, costOfStep, fallbackVerdict } from '../../../../models/rules/messages/fallback.js';
import type { Status } from '../../../../models/rules/messages/status.js';

describe('a chain across channels', () => {
  for (const [status, code, early, due] of [
    ['queued', null, 'wait', 'now'],
    ['sent', null, 'wait', 'now'],
    ['delivered', null, 'over', 'over'],
    ['read', null, 'over', 'over'],
    ['failed', '30008', 'now', 'now'],
    ['failed', 'suppressed', 'now', 'now'],
    ['failed', 'provider_unavailable', 'now', 'now'],
    ['failed', 'handoff_unknown', 'wait', 'now'],
    ['failed', 'cancelled', 'over', 'over'],
    ['failed', 'expired', 'over', 'over'],
  ] as [Status, string | null, string, string][]) {
    it(`after ${status} ${code ?? ''}: ${early} before its time is over, ${due} then`, () => {
      assert.equal(fallbackVerdict({ status, error_code: code }, false), early);
      assert.equal(fallbackVerdict({ status, error_code: code }, true), due);
    });
  }

  it('costs at most as much as its most expensive step', () => {
    const price = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(price, fc.boolean()), { minLength: 1, maxLength: 4 }), (steps) => {
        let charged = 0;
        for (const [each, isRefunded] of steps) {
          const cost = costOfStep(each, charged);
          assert.ok(cost >= 0);
          charged += isRefunded ? 0 : cost;
        }
        const prices = steps.map(([each]) => each);
        assert.equal(capOf(prices), Math.max(...prices));
        assert.ok(charged <= capOf(prices));
      }),
    );
  });

  it('keeps the content fields of the channel', () => {
    const content = { text: 'Hello', subject: 'S', html: '<p>H</p>', template: { name: 'hello', language: 'en' } };
    assert.deepEqual(contentOn('sms', content), { text: 'Hello' });
    assert.deepEqual(contentOn('email', content), { text: 'Hello', subject: 'S', html: '<p>H</p>' });
    assert.deepEqual(contentOn('whatsapp', content), { text: 'Hello', template: content.template });
    assert.deepEqual(contentOn('whatsapp', { text: 'Hello' }), { text: 'Hello' });
  });
});
