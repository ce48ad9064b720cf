/** The spans of accepts, and the start of the trace of a workflow. */
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { activeSpan, isRecorded, isTracing, recordSpan, stopwatch, withinSpan } from '../../models/tracing/tracing.js';
import { formatTraceparent, newSpanIn, traceStart } from '../../models/tracing/trace-context.js';
import { traceHeader } from '../../workflows/contract.js';

/** A message, or a batch. */
type TracedSend = { workspaceId: string; traceparent?: string | null } & ({ messageId: string } | { batchId: string });

const idOf = (send: TracedSend): string => ('messageId' in send ? send.messageId : send.batchId);

/**
 * Records how long a workflow takes to accept these sends, which share it: a span in each of their traces that are recorded. The workflow
 * continues the trace of the first; the spans of the others are linked to it.
 */
export function traceAccept<Answer>(sends: readonly TracedSend[], workflowId: string, accept: () => Promise<Answer>): Promise<Answer> {
  const recorded = isTracing() ? sends.filter((send) => isRecorded(idOf(send))) : [];
  const [first, ...others] = recorded.map((send) => {
    const { root } = traceStart(idOf(send), send.traceparent);
    return { send, root, span: newSpanIn(root) };
  });
  if (first === undefined) return accept();
  const elapsed = stopwatch();
  return withinSpan(first.span, accept, (error) => {
    const time = elapsed();
    for (const each of [first, ...others]) {
      const { send } = each;
      recordSpan({
        name: 'accept',
        kind: 'producer',
        context: each.span,
        parent: each.root,
        links: each === first ? others.map(({ span }) => span) : [first.span],
        attributes: {
          'messaging.message.id': 'messageId' in send ? send.messageId : undefined,
          'batch.id': 'batchId' in send ? send.batchId : undefined,
          'workspace.id': send.workspaceId,
          'messaging.batch.message_count': sends.length,
          'temporal.workflow.id': workflowId,
        },
        ...time,
        error: error === undefined ? undefined : 'no answer',
      });
    }
  });
}

/** Gives a workflow that starts within a span the place of that span. */
export const passTrace: WorkflowClientInterceptor = {
  startUpdateWithStart(input, next) {
    const span = activeSpan();
    if (span === undefined) return next(input);
    const trace = defaultPayloadConverter.toPayload(formatTraceparent(span));
    return next({ ...input, workflowStartHeaders: { ...input.workflowStartHeaders, [traceHeader]: trace } });
  },
};
