import assert from 'node:assert/strict';
import { TurnsOfWebhook } from '../../../activities/webhooks/turns-of-webhook.js';
import type { WebhookSlots } from '../../../models/operations/deliveries/reserve-webhook-slots.js';

describe('turns of a webhook', () => {
  it('turns of a webhook are reserved only when those before are used', async () => {
    const reservedAt: number[] = [];
    const reserve = (): Promise<WebhookSlots> => {
      reservedAt.push(performance.now());
      return Promise.resolve({ wait_ms: 30, every_ms: 20, count: 2 });
    };
    const turns = new TurnsOfWebhook(reserve, () => Promise.resolve(true));
    assert.deepEqual(await Promise.all(Array.from({ length: 4 }, () => turns.next(4))), [true, true, true, true]);
    const [first = 0, second = 0] = reservedAt;
    assert.ok(second - first > 45, `the second turn is 50 ms after the first reservation, the next reservation ${second - first} ms`);
  });

  it('turns of a webhook are not reserved for attempts that will not be made', async () => {
    let reservations = 0;
    const reserve = (): Promise<WebhookSlots> => {
      reservations += 1;
      return Promise.resolve({ wait_ms: 10, every_ms: 10, count: 1 });
    };
    const turns = new TurnsOfWebhook(reserve, () => Promise.resolve(true));
    let isOver = false;
    const attempts = Array.from({ length: 16 }, () => turns.next(16, () => isOver));
    await attempts[0];
    isOver = true;
    await Promise.all(attempts);
    assert.ok(reservations <= 3, `${reservations} reservations`);
  });
});
