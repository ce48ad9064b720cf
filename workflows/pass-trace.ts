/**
 * Passes the place of a workflow in a trace on to its activities, to its next run, and to the workflows that drive a part of its work. It reads
 * no clock and waits for nothing, so it changes no history: a workflow may move between workers with and without it.
 */
import type { Headers, WorkflowInterceptors } from '@temporalio/workflow';
import { traceHeader, workflowTypes } from './contract.js';

/** Other children serve many messages. */
const parts: readonly string[] = [workflowTypes.sendGroup, workflowTypes.sendMessage];

export function interceptors(): WorkflowInterceptors {
  let trace: Headers[string] | undefined;
  const traced = <Input extends { headers: Headers }>(input: Input): Input =>
    trace === undefined ? input : { ...input, headers: { ...input.headers, [traceHeader]: trace } };
  return {
    inbound: [
      {
        execute(input, next) {
          trace = input.headers[traceHeader];
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(traced(input)),
        scheduleLocalActivity: (input, next) => next(traced(input)),
        continueAsNew: (input, next) => next(traced(input)),
        startChildWorkflowExecution: (input, next) => next(parts.includes(input.workflowType) ? traced(input) : input),
      },
    ],
  };
}
