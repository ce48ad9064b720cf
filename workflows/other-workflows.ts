/** What a workflow does to others, which come and go beside it. */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  type ChildWorkflowOptions,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  type SignalDefinition,
  startChild,
} from '@temporalio/workflow';

/**
 * Starts a workflow that outlives this one, and waits until it exists: a parent that closes earlier would take it along.
 * @returns false when it runs already
 */
export async function startUnlessRunning<Input>(
  workflow: ((input: Input) => Promise<void>) | string,
  input: Input,
  options: Omit<ChildWorkflowOptions, 'args' | 'parentClosePolicy' | 'typeInfo'>,
): Promise<boolean> {
  try {
    const given = { ...options, args: [input] as [Input], parentClosePolicy: ParentClosePolicy.ABANDON };
    await (typeof workflow === 'string' ? startChild(workflow, given) : startChild(workflow, given));
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return false;
  }
}

/** @returns false when the workflow is gone */
export async function signalIfRunning(workflowId: string, signal: SignalDefinition | string): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(signal);
    return true;
  } catch {
    return false;
  }
}
