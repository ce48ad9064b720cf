import { Worker } from '@temporalio/worker';
import { HangWatch } from './hang-watch.js';

type CreateWorkflows = (typeof Worker)['createWorkflowCreator'];
type Workflows = Awaited<ReturnType<CreateWorkflows>>;
type Activate = Awaited<ReturnType<Workflows['createWorkflow']>>['activate'];

/**
 * A worker that calls workflow code without a time-out of its own for every call. The SDK makes some thirty calls a message, and for the
 * time-out of each Node.js starts a thread and ends it (`timeout` of node:vm): 40 % of the CPU and most of the time that the code of
 * a message's workflow takes. What the time-out is for, code that does not return, one clock for all workflows notices, and ends
 * the process, to be started again.
 */
export class LeanWorker extends Worker {
  protected static override async createWorkflowCreator(...[bundle, options, logger]: Parameters<CreateWorkflows>): Promise<Workflows> {
    const unlimited = { ...options, isolateExecutionTimeoutMs: undefined as unknown as number };
    const workflows = await super.createWorkflowCreator(bundle, unlimited, logger);
    const watch = new HangWatch(() => {
      throw new Error('workflow code does not return');
    });
    return {
      createWorkflow: async (created) => {
        const workflow = await watch.over(() => workflows.createWorkflow(created));
        const activate: Activate = workflow.activate.bind(workflow);
        return Object.assign(workflow, { activate: (activation: Parameters<Activate>[0]) => watch.over(() => activate(activation)) });
      },
      destroy: () => workflows.destroy(),
    };
  }
}
