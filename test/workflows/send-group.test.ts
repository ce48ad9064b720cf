import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { workflowBundlePath } from '../../activities/worker/workers.js';
import { queues, type SendGroupInput, workflowIds, workflowTypes } from '../../workflows/contract.js';
import { until } from '../support/client.js';
import { freshNamespace, type TestTemporal } from '../support/temporal/temporal.js';

const nothing = { children: [], retriers: [] };
const over = { open: 0, queued: 0, deliveries: 0, reports: false, paused: false, isOver: true, left: nothing };

describe('the workflow of a page, with stand-ins for its activities', () => {
  let temporal: TestTemporal;
  let connection: NativeConnection;
  let endWorkflows: () => Promise<void>;
  /** The stand-in of the test. The worker of workflows is the same for all tests: each one has a thread, which takes a second of CPU to start. */
  let giveUpOnHandoffs: (groupId: string, hasWaitedForWorker: boolean) => Promise<object>;
  before(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    temporal = await freshNamespace();
    connection = await NativeConnection.connect({ address: temporal.address });
    endWorkflows = await run(queues.messages, {
      giveUpOnHandoffs: (groupId: string, hasWaitedForWorker: boolean) => giveUpOnHandoffs(groupId, hasWaitedForWorker),
    });
  });
  beforeEach(() => {
    giveUpOnHandoffs = () => Promise.reject(new Error('this page is not given up'));
  });
  after(async () => {
    await endWorkflows();
    await connection.close();
    connection.callContextStorage.disable(); // as in test/support/parts/in-this-process.ts
    await temporal.close();
  });

  /** Runs a worker of this queue. @returns what ends it */
  const run = async (taskQueue: string, activities: object): Promise<() => Promise<void>> => {
    const workflows = taskQueue === queues.messages ? { workflowBundle: { codePath: workflowBundlePath } } : {};
    const worker = await Worker.create({ connection, namespace: temporal.namespace, taskQueue, activities, ...workflows });
    const done = worker.run();
    return () => (worker.shutdown(), done);
  };
  /** Runs workers of these queues until the test is over. */
  let ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(ends.map((end) => end()));
    ends = [];
  });
  const work = async (taskQueue: string, activities: object) => void ends.push(await run(taskQueue, activities));
  const start = (handoffTimeoutMs = 60_000, reportTimeoutMs = 60_000) => {
    const groupId = randomUUID();
    const input: SendGroupInput = { groupId, batchId: randomUUID(), due: { handoffTimeoutMs, reportTimeoutMs } };
    const workflowId = workflowIds.page(groupId);
    return temporal.client.workflow.start(workflowTypes.sendGroup, { workflowId, taskQueue: queues.messages, args: [input] });
  };

  it('a page wakes all retriers although another page wakes others under the same id', async () => {
    const retriers = Array.from({ length: 101 }, () => randomUUID()); // one more than the workflow wakes itself
    const woken = new Set<string>();
    for (const first of [retriers[0] ?? '', retriers[100] ?? '']) {
      const elsewhere = { workflowId: workflowIds.starts(first), taskQueue: 'nowhere', args: [nothing] };
      await temporal.client.workflow.start(workflowTypes.startDeliveries, elsewhere);
    }
    await work(queues.bulk, { sendGroup: async () => ({ ...over, more: false, again: false, left: { children: [], retriers } }) });
    await work(queues.webhooks, { runRetrier: async (webhookId: string) => (woken.add(webhookId), null) });
    await (await start()).result();
    await until(() => woken.size === retriers.length, 'each retrier runs');
  });

  it('a page whose hand-off no worker took in time is handed off again, if nobody was called', async () => {
    const asked: unknown[] = [];
    giveUpOnHandoffs = async (_groupId, hasWaitedForWorker) => {
      asked.push(hasWaitedForWorker);
      await work(queues.bulk, { dispatchMessages: async () => over, driveGroup: async () => over });
      return { ...over, open: 1, queued: 1, more: false };
    };
    await (await start(500)).result();
    assert.deepEqual(asked, [true]);
  });

  it('a page whose hand-off failed until its time was over is given up', async () => {
    const asked: unknown[] = [];
    giveUpOnHandoffs = async (_groupId, hasWaitedForWorker) => (asked.push(hasWaitedForWorker), over);
    const sendGroup = () => Promise.reject(ApplicationFailure.create({ type: 'NotHandedOff' }));
    await work(queues.bulk, { sendGroup, driveGroup: async () => over });
    await (await start(5_000)).result();
    assert.deepEqual(asked, [false]);
  });

  it('a page of a paused batch looks again when its next message expires', async () => {
    const paused = { ...over, isOver: false, open: 1, queued: 1, paused: true, retryInMs: 500 };
    const looks: string[] = [];
    await work(queues.bulk, {
      sendGroup: async () => (looks.push('first'), { ...paused, more: false, again: false }),
      dispatchMessages: async () => (looks.push('again'), { ...over, more: false }),
      driveGroup: async () => over,
    });
    const handle = await start();
    await handle.result();
    const timers = (await handle.fetchHistory()).events?.flatMap(({ timerStartedEventAttributes: timer }) => timer ?? []) ?? [];
    const seconds = timers.map(({ startToFireTimeout }) => Number(startToFireTimeout?.seconds));
    assert.deepEqual([looks, seconds], [['first', 'again'], [1]]);
  });

  it('a page whose activity asks for another round begins it at once, without a report', async () => {
    const rounds = [{ ...over, isOver: false, deliveries: 1, left: { ...nothing, more: true } }, over];
    await work(queues.bulk, {
      sendGroup: async () => ({ ...over, isOver: false, open: 1, more: false, again: true }),
      driveGroup: async () => rounds.shift(),
    });
    await (await start()).result();
    assert.deepEqual(rounds, []);
  });

  it('a page queries its missing reports in the slots of batches', async () => {
    let queries = 0;
    await work(queues.bulk, {
      sendGroup: async () => ({ ...over, isOver: false, open: 1, more: false, again: false }),
      pollReports: async () => ((queries += 1), null),
      driveGroup: async () => over,
    });
    await (await start(60_000, 200)).result();
    assert.equal(queries, 1);
  });
});
