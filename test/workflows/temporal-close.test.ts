import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connectTemporal } from '../../api/outside/temporal.js';
import { workflowIds } from '../../workflows/contract.js';
import { testConfig } from '../support/config.js';
import { freshNamespace, type TestTemporal } from '../support/temporal/temporal.js';

describe("the API's client of Temporal", () => {
  let own: TestTemporal;
  before(async () => {
    own = await freshNamespace();
  });
  after(() => own.close());

  it('a client of Temporal that is closed sends its signals to the end', async () => {
    const temporal = connectTemporal(testConfig({ TEMPORAL_ADDRESS: own.address, TEMPORAL_NAMESPACE: own.namespace }));
    await temporal.hasWorker(); // it is connected
    const groupId = randomUUID();
    const waking = temporal.wake({ groupId, workflowId: workflowIds.lateReports(groupId), late: true });
    await Promise.all([waking, temporal.close()]);
    const { status } = await own.client.workflow.getHandle(workflowIds.lateReports(groupId)).describe();
    assert.equal(status.name, 'RUNNING');
  });
});
