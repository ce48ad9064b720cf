import assert from 'node:assert/strict';
import { prepareTemporal } from '../../../activities/worker/prepare-temporal.js';
import { createLogger } from '../../../models/process/logger.js';
import { queues, workflowIds, workflowTypes } from '../../../workflows/contract.js';
import { until } from '../../support/client.js';
import { freshNamespace, type TestTemporal } from '../../support/temporal/temporal.js';

describe('the schedule of the watcher', () => {
  let temporal: TestTemporal;
  beforeEach(async () => {
    temporal = await freshNamespace();
  });
  afterEach(() => temporal.close());

  const prepare = () => {
    const { connection, client, namespace } = temporal;
    return prepareTemporal({ connection, schedules: client.schedule, namespace, logger: createLogger('worker', 'silent') });
  };
  const describeSchedule = async () => {
    const { spec, policies, state, action, info } = await temporal.client.schedule.getHandle(workflowIds.watcher).describe();
    const { workflowType, workflowId, taskQueue, args, workflowRunTimeout } = action;
    const starts = { workflowType, workflowId, taskQueue, args };
    return { every: spec.intervals?.map(({ every }) => every), workflowRunTimeout, policies, state, starts, updatedAt: info.lastUpdatedAt };
  };
  /** As an earlier version made it. */
  const createFormer = (every: number) =>
    temporal.client.schedule.create({
      scheduleId: workflowIds.watcher,
      spec: { intervals: [{ every }] },
      policies: { overlap: 'SKIP', catchupWindow: '60s' },
      state: { paused: true, note: 'paused by an operator' },
      action: {
        type: 'startWorkflow',
        workflowType: workflowTypes.runWatcher,
        workflowId: workflowIds.watcher,
        taskQueue: queues.messages,
      },
    });

  it('ends a run after ten minutes, so that one which no worker can continue does not hold up the later ones', async () => {
    await prepare();
    const { every, workflowRunTimeout } = await describeSchedule();
    assert.deepEqual([every, workflowRunTimeout], [[30_000], 600_000]);
    let timeoutSeconds = 0;
    await until(async () => {
      const [first] = (await temporal.client.schedule.getHandle(workflowIds.watcher).describe()).info.recentActions;
      const { raw } = await temporal.client.workflow.getHandle(first?.action.workflow.workflowId ?? '').describe();
      timeoutSeconds = Number(raw.executionConfig?.workflowRunTimeout?.seconds);
      return true;
    }, 'the first run began');
    assert.equal(timeoutSeconds, 600);
  });

  for (const [what, every] of [
    ['time-out', 30_000],
    ['interval', 60_000],
  ] as const) {
    it(`gets the ${what} that an earlier version did not give it, and stays as it is otherwise`, async () => {
      await createFormer(every);
      const { updatedAt: _, ...former } = await describeSchedule();
      await prepare();
      const { updatedAt, ...present } = await describeSchedule();
      assert.deepEqual(present, { ...former, every: [30_000], workflowRunTimeout: 600_000 });
      await prepare();
      assert.deepEqual((await describeSchedule()).updatedAt, updatedAt, 'nothing was left to update');
    });
  }
});
