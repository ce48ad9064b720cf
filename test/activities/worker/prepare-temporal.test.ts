import assert from 'node:assert/strict';
import { Connection } from '@temporalio/client';
import { prepareTemporal, restorePreparations } from '../../../activities/worker/prepare-temporal.js';
import { foreignNamespaceFix } from '../../../models/startup/installation.js';
import { createLogger, type Logger } from '../../../models/process/logger.js';
import { queues, workflowIds, workflowTypes } from '../../../workflows/contract.js';
import { until } from '../../support/client.js';
import { startTemporalFront } from '../../support/network/temporal-front.js';
import { freshNamespace, type TestTemporal } from '../../support/temporal/temporal.js';

describe('the schedule of the watcher', () => {
  let temporal: TestTemporal;
  beforeEach(async () => {
    temporal = await freshNamespace();
  });
  afterEach(() => temporal.close());

  const prepare = (installation: string | null = null) => {
    const { connection, client, namespace } = temporal;
    return prepareTemporal({ connection, schedules: client.schedule, namespace, installation, logger: createLogger('worker', 'silent') });
  };
  const describeSchedule = async () => {
    const { spec, policies, state, action, info } = await temporal.client.schedule.getHandle(workflowIds.watcher).describe();
    const { workflowType, workflowId, taskQueue, args, workflowRunTimeout, memo } = action;
    const starts = { workflowType, workflowId, taskQueue, args };
    return {
      every: spec.intervals?.map(({ every }) => every),
      workflowRunTimeout,
      policies,
      state,
      starts,
      memo,
      updatedAt: info.lastUpdatedAt,
    };
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

  it('a run of the watcher ends after ten minutes, so that later ones can begin', async () => {
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
    ['timeout', 30_000],
    ['interval', 60_000],
  ] as const) {
    it(`a schedule of an earlier version gets the ${what} that it lacks, and stays as it is otherwise`, async () => {
      await createFormer(every);
      const { updatedAt: _, ...former } = await describeSchedule();
      await prepare();
      const { updatedAt, ...present } = await describeSchedule();
      assert.deepEqual(present, { ...former, every: [30_000], workflowRunTimeout: 600_000 });
      await prepare();
      assert.deepEqual((await describeSchedule()).updatedAt, updatedAt, 'nothing was left to update');
    });
  }

  const refusal = () => ({
    name: 'Error',
    message: `The Temporal namespace ${temporal.namespace} belongs to another installation of Tidings. ${foreignNamespaceFix(temporal.namespace)}`,
  });

  it('a schedule belongs to the installation that made it, and refuses workers of another one', async () => {
    await Promise.all([prepare('one'), prepare('one')]); // two workers that start at the same time
    await assert.rejects(prepare('two'), refusal());
    await prepare('one');
    await prepare(null); // PostgreSQL does not answer
    assert.deepEqual((await describeSchedule()).memo, { installation: 'one' });
  });

  it('a schedule of an earlier version belongs to the installation of the first worker that starts', async () => {
    await createFormer(30_000);
    await prepare(null);
    const { updatedAt: _, ...former } = await describeSchedule();
    await prepare('one');
    const { updatedAt: __, ...present } = await describeSchedule();
    assert.deepEqual(present, { ...former, memo: { installation: 'one' } });
    await assert.rejects(prepare('two'), refusal());
  });

  it('a schedule keeps its installation when its interval changes', async () => {
    await prepare('one');
    const schedule = temporal.client.schedule.getHandle(workflowIds.watcher);
    await schedule.update((present) => ({ ...present, spec: { intervals: [{ every: 60_000 }] } }) as never);
    await prepare(null);
    const { every, memo } = await describeSchedule();
    assert.deepEqual([every, memo], [[30_000], { installation: 'one' }]);
  });

  it('a schedule is prepared where the cluster does not let us create search attributes, with one warning', async () => {
    const front = await startTemporalFront(temporal.address);
    const warnings: string[] = [];
    const logger = { warn: (_: object, text: string) => warnings.push(text) } as unknown as Logger;
    const { client, namespace } = temporal;
    const connection = await Connection.connect({ address: front.address });
    const preparations = { connection, schedules: client.schedule, namespace, installation: 'one', logger };
    await prepareTemporal(preparations);
    await restorePreparations(preparations);
    assert.deepEqual(warnings, ['could not check the search attributes: if they are missing, no message is accepted. Run the doctor']);
    await connection.close();
    front.close();
  });
});
