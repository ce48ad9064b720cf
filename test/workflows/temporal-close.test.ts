import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connectTemporal } from '../../api/outside/temporal.js';
import { queues, workflowIds } from '../../workflows/contract.js';
import { recentPollers } from '../../api/outside/pollers.js';
import { until } from '../support/client.js';
import { testConfig } from '../support/config.js';
import { freshNamespace, type TestTemporal } from '../support/temporal/temporal.js';

describe("the API's client of Temporal", () => {
  let own: TestTemporal;
  before(async () => {
    own = await freshNamespace();
  });
  after(() => own.close());

  it('the queues have workers only when each of them is polled', async () => {
    const temporal = connectTemporal(testConfig({ TEMPORAL_ADDRESS: own.address, TEMPORAL_NAMESPACE: own.namespace }));
    const { workflowService } = own.connection;
    const ending = new AbortController();
    /** Polls until `ending` is aborted. */
    const poll = (queue: string) => {
      const request = { namespace: own.namespace, taskQueue: { name: queue }, identity: 'test' };
      const call = (): Promise<unknown> =>
        queue === queues.messages ? workflowService.pollWorkflowTaskQueue(request) : workflowService.pollActivityTaskQueue(request);
      return own.connection.withAbortSignal(ending.signal, () => own.connection.withDeadline(Date.now() + 60_000, call));
    };
    const isPolled = async (queue: string) =>
      (await recentPollers(workflowService, own.namespace, queue, queue === queues.messages ? 'workflow' : 'activity', Date.now())).length >
      0;
    const others = Object.values(queues).filter((queue) => queue !== queues.webhooks);
    const polls = others.map(poll);
    for (const queue of others) await until(() => isPolled(queue), `${queue} is polled`);
    assert.equal(await temporal.hasWorker(Date.now()), false);
    polls.push(poll(queues.webhooks));
    await until(() => temporal.hasWorker(Date.now()), 'each queue is polled');
    assert.equal(await temporal.hasWorker(Date.now() + 80_000), false, 'a poll lasts a minute');
    ending.abort();
    await Promise.allSettled(polls);
    await temporal.close();
  });
  it('a client of Temporal that is closed sends its signals to the end', async () => {
    const temporal = connectTemporal(testConfig({ TEMPORAL_ADDRESS: own.address, TEMPORAL_NAMESPACE: own.namespace }));
    await temporal.hasWorker(Date.now()); // it is connected
    const groupId = randomUUID();
    const waking = temporal.wake({ groupId, workflowId: workflowIds.lateReports(groupId), late: true });
    await Promise.all([waking, temporal.close()]);
    const { status } = await own.client.workflow.getHandle(workflowIds.lateReports(groupId)).describe();
    assert.equal(status.name, 'RUNNING');
  });
});
