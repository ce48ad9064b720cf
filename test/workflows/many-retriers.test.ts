import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { queues, workflowIds } from '../../workflows/contract.js';
import { type Service, startService } from '../support/service.js';

describe('the retriers of many webhooks, on the real service', () => {
  let service: Service;
  before(async () => {
    service = await startService({ isHere: true });
  });
  after(() => service.stop());

  it('retriers of many webhooks start four at a time, so that the sends of others have CPU meanwhile', async () => {
    const retriers = Array.from({ length: 10 }, () => randomUUID()); // of webhooks that no longer exist: they end at once
    const started = await service.temporal.client.workflow.start('startDeliveries', {
      workflowId: workflowIds.starts(randomUUID()),
      taskQueue: queues.messages,
      args: [{ children: [], retriers }],
    });
    await started.result();
    const { events } = await started.fetchHistory();
    const steps = (events ?? []).flatMap(
      ({ startChildWorkflowExecutionInitiatedEventAttributes: start, timerFiredEventAttributes: pause }) => [
        ...(start ? ['start'] : []),
        ...(pause ? ['pause'] : []),
      ],
    );
    const four = ['start', 'start', 'start', 'start'];
    assert.deepEqual(steps, [...four, 'pause', ...four, 'pause', 'start', 'start']);
  });
});
