import type { Worker } from '@temporalio/worker';
import { tracedActivate } from './trace-workflows.js';
import { HangWatch } from './hang-watch.js';
import { refuseIfLeft } from './leave-work.js';

type CreateWorkflows = (typeof Worker)['createWorkflowCreator'];
type Workflows = Awaited<ReturnType<CreateWorkflows>>;
type Activate = Awaited<ReturnType<Workflows['createWorkflow']>>['activate'];

/**
 * A worker that calls workflow code without a timeout for each call. The SDK makes about thirty calls for a message, and Node.js starts and
 * ends a thread for the timeout of each one (`timeout` of node:vm). This took 40 % of the CPU of a message's workflow code. Instead one
 * clock watches all workflows and ends the process when code does not return. The process manager then starts it again.
 * @param leaving aborted when the worker leaves its workflows to others; see `leave-work.ts`
 * @param Kind of worker that it is otherwise
 */
export const leanWorker = (leaving: AbortSignal, Kind: typeof Worker) =>
  class LeanWorker extends Kind {
    protected static override async createWorkflowCreator(...[bundle, options, logger]: Parameters<CreateWorkflows>): Promise<Workflows> {
      const unlimited = { ...options, isolateExecutionTimeoutMs: undefined as unknown as number };
      const workflows = await super.createWorkflowCreator(bundle, unlimited, logger);
      // The SDK collects the fields of each trace, about a dozen for a run, before its logger drops them. The worker has the same logger.
      logger.trace = () => undefined;
      const watch = new HangWatch(() => {
        throw new Error('Workflow code does not return');
      });
      return {
        createWorkflow: async (created) => {
          const workflow = await watch.over(() => workflows.createWorkflow(created));
          const activate: Activate = tracedActivate(created, workflow.activate.bind(workflow));
          return Object.assign(workflow, {
            activate: (activation: Parameters<Activate>[0]) => {
              refuseIfLeft(leaving, activation);
              return watch.over(() => activate(activation));
            },
          });
        },
        destroy: () => workflows.destroy(),
      };
    }
  };
