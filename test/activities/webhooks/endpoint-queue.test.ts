import assert from 'node:assert/strict';
import { type AttemptResult, EndpointQueue } from '../../../activities/webhooks/endpoint-queue.js';
import type { SendableDelivery } from '../../../models/operations/deliveries/due-deliveries.js';

describe('the queue of an endpoint', () => {
  it('a queue begins no attempt after one whose outcome was not stored, and fails when those in progress have ended', async () => {
    const deliveries = Array.from({ length: 12 }, (_, at) => ({ id: `${at}`, message_id: `${at}`, ordered: false }) as SendableDelivery);
    const begun: string[] = [];
    const ended: string[] = [];
    let release: () => void = () => undefined;
    const others = new Promise<void>((resolve) => (release = resolve));
    const attempt = async ({ id }: SendableDelivery): Promise<AttemptResult> => {
      begun.push(id);
      if (id === '0') {
        setImmediate(release);
        throw new Error('the outcome was not stored');
      }
      await others;
      ended.push(id);
      return { outcome: 'acknowledged', isOutdated: false };
    };
    const queue = new EndpointQueue(deliveries, { concurrency: 4, continuesAfterFailure: true, attempt });
    await assert.rejects(queue.run(), /the outcome was not stored/);
    assert.deepEqual(
      [begun, ended],
      [
        ['0', '1', '2', '3'],
        ['1', '2', '3'],
      ],
    );
  });
});
