/** Starts and signals other workflows. */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  type ChildWorkflowOptions,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  type SignalDefinition,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';

/**
 * Starts a workflow that continues after its parent has closed. Waits until it has started, because a parent that closes earlier cancels it.
 * @param workflow the function, or the name of its type
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

/** The search attributes of this workflow, for workflows that do a part of its work. */
export function inheritedAttributes(): Pick<ChildWorkflowOptions, 'typedSearchAttributes'> {
  const { typedSearchAttributes } = workflowInfo();
  return typedSearchAttributes === undefined ? {} : { typedSearchAttributes };
}

/** @returns false when no such workflow runs */
export async function signalIfRunning(workflowId: string, signal: SignalDefinition | string): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(signal);
    return true;
  } catch {
    return false;
  }
}
