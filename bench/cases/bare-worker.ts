/** The process that runs the bare workflow: `bare-worker.js <Temporal address> <bundle>`, a child of the bench. */
import { DefaultLogger, NativeConnection, Runtime, Worker, type InjectedSinks } from '@temporalio/worker';
import { type BareMessage, bareQueue } from './bare-contract.js';
import type { BareSinks } from './bare-workflow.js';

const [, , address = '', codePath = ''] = process.argv;
const send = (message: BareMessage) => process.send?.(message);

const sinks: InjectedSinks<BareSinks> = {
  bench: { done: { fn: ({ workflowId }) => void send({ done: workflowId }), callDuringReplay: false } },
};
const pollers = { type: 'simple-maximum', maximum: 5 } as const;

Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue: bareQueue,
  workflowBundle: { codePath },
  activities: {
    async handOff(id: string): Promise<void> {
      send({ handedOff: id });
    },
  },
  sinks,
  // As in activities/worker/workers.ts.
  maxCachedWorkflows: 500,
  maxConcurrentWorkflowTaskExecutions: 40,
  maxConcurrentActivityTaskExecutions: 100,
  workflowTaskPollerBehavior: pollers,
  activityTaskPollerBehavior: pollers,
  stickyQueueScheduleToStartTimeout: '5s',
});
process.on('disconnect', () => {
  if (worker.getState() === 'RUNNING') worker.shutdown();
});
process.send?.('ready');
await worker.run();
await connection.close();
