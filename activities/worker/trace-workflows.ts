/**
 * The spans of workflow runs. They are recorded outside of the workflow code, at the first activation and the last completion of a run. So
 * tracing changes neither the code nor the history of a workflow.
 */
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { Worker } from '@temporalio/worker';
import { isTracing, recordSpan } from '../../models/tracing/tracing.js';
import { readTraceparent, type SpanContext, spanOf } from '../../models/tracing/trace-context.js';
import { traceHeader } from '../../workflows/contract.js';

/** The place in a trace that a workflow or an activity was given; undefined if its trace is not recorded. */
export function traceOf(headers: Headers | null | undefined): SpanContext | undefined {
  const payload = headers?.[traceHeader];
  if (payload === undefined) return undefined;
  const value = readTraceparent(defaultPayloadConverter.fromPayload<string>(payload));
  return value === null ? undefined : spanOf(value);
}

/** The span of a run. Its id is derived from the id of the run, so that activities in other processes know it. */
export const spanOfWorkflow = ({ traceId }: SpanContext, runId: string): SpanContext => ({
  traceId,
  spanId: runId.replaceAll('-', '').slice(16),
});

type Creator = Awaited<ReturnType<(typeof Worker)['createWorkflowCreator']>>;
type Created = Parameters<Creator['createWorkflow']>[0];
type Activate = Awaited<ReturnType<Creator['createWorkflow']>>['activate'];

/** Records the span of a run when it ends. */
export function tracedActivate({ info }: Created, activate: Activate): Activate {
  if (!isTracing()) return activate;
  let trace: SpanContext | undefined;
  return async (activation) => {
    for (const { initializeWorkflow } of activation.jobs ?? [])
      if (initializeWorkflow) trace = traceOf(initializeWorkflow.headers as Headers);
    const completion = await activate(activation);
    if (trace === undefined || activation.isReplaying === true) return completion;
    const end = endOf(completion);
    if (end === undefined) return completion;
    const begunAt = info.runStartTime.getTime();
    recordSpan({
      name: `RunWorkflow:${info.workflowType}`, // as the SDK's own interceptors name it
      kind: 'internal',
      context: spanOfWorkflow(trace, info.runId),
      parent: trace,
      attributes: { 'temporal.workflow.id': info.workflowId, 'temporal.run.id': info.runId, 'temporal.workflow.end': end },
      begunAt,
      durationMs: Math.max(0, Date.now() - begunAt),
      error: end === 'failed' ? end : undefined,
    });
    return completion;
  };
}

/** How the run ended; undefined while it is running. */
function endOf({ successful }: Awaited<ReturnType<Activate>>): string | undefined {
  for (const command of successful?.commands ?? []) {
    if (command.completeWorkflowExecution) return 'completed';
    if (command.failWorkflowExecution) return 'failed';
    if (command.continueAsNewWorkflowExecution) return 'continued';
    if (command.cancelWorkflowExecution) return 'cancelled';
  }
  return undefined;
}
