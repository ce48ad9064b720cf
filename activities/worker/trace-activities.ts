import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { recordSpan, stopwatch, withinSpan } from '../../models/tracing/tracing.js';
import { newSpanIn } from '../../models/tracing/trace-context.js';
import { spanOfWorkflow, traceOf } from './trace-workflows.js';

/** Records a span for each attempt of an activity whose workflow has a place in a trace. Spans that are recorded meanwhile are its children. */
export const traceActivities: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      const trace = traceOf(input.headers);
      const { workflowExecution, activityType, attempt } = info;
      if (trace === undefined || workflowExecution === undefined) return next(input);
      const context = newSpanIn(trace);
      const elapsed = stopwatch();
      const end = (error?: unknown) =>
        recordSpan({
          name: `RunActivity:${activityType}`, // as the SDK's own interceptors name it
          kind: 'internal',
          context,
          parent: spanOfWorkflow(trace, workflowExecution.runId),
          attributes: { 'temporal.activity.attempt': attempt, 'temporal.workflow.id': workflowExecution.workflowId },
          ...elapsed(),
          error: error === undefined ? undefined : nameOf(error),
        });
      return withinSpan(context, () => next(input), end);
    },
  },
});

/** Without the message, which may contain data of users. */
function nameOf(error: unknown): string {
  if (error instanceof ApplicationFailure) return error.type ?? error.name;
  return error instanceof Error ? error.name : 'error';
}
