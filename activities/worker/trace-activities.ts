import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { recordSpan, stopwatch, withinSpan } from '../../models/tracing/tracing.js';
import { randomSpanId } from '../../models/tracing/trace-context.js';
import { spanOfWorkflow, traceOf } from './trace-workflows.js';

/** Records each attempt of an activity whose workflow has a place in a trace. Spans that are recorded meanwhile become its parts. */
export const traceActivities: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      const trace = traceOf(input.headers);
      const { workflowExecution, activityType, attempt } = info;
      if (trace === undefined || workflowExecution === undefined) return next(input);
      const context = { traceId: trace.traceId, spanId: randomSpanId() };
      const elapsed = stopwatch();
      const end = (error?: string) =>
        recordSpan({
          name: `RunActivity:${activityType}`, // as the SDK's own interceptors name it
          kind: 'internal',
          context,
          parent: spanOfWorkflow(trace, workflowExecution.runId),
          attributes: { 'temporal.activity.attempt': attempt, 'temporal.workflow.id': workflowExecution.workflowId },
          ...elapsed(),
          error,
        });
      try {
        const result = await withinSpan(context, () => next(input));
        end();
        return result;
      } catch (error) {
        end(nameOf(error));
        throw error;
      }
    },
  },
});

/** Without the message, which may contain data of users. */
function nameOf(error: unknown): string {
  if (error instanceof ApplicationFailure) return error.type ?? error.name;
  return error instanceof Error ? error.name : 'error';
}
