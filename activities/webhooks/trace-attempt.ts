import type { SendableDelivery } from '../../models/operations/deliveries/due-deliveries.js';
import { isRecorded, isTracing, placeUnder, recordSpan, stopwatch } from '../../models/tracing/tracing.js';
import { formatTraceparent, newSpanIn, traceStart } from '../../models/tracing/trace-context.js';
import type { PostResult } from './post-webhook.js';

type Traced = Pick<SendableDelivery, 'id' | 'webhook_id' | 'workspace_id' | 'message_id' | 'traceparent' | 'event' | 'ladder_step'>;

export interface TracedAttempt {
  /** The header `traceparent` for the receiver. It is not signed. */
  headers: Record<string, string>;
  end(result: Pick<PostResult, 'responseStatus' | 'error'>): void;
}

/**
 * Begins the span of one attempt of a delivery. The receiver continues the trace of the message. If the trace is not recorded here, the
 * receiver gets the client's `traceparent` unchanged, so that the client's trace stays whole.
 */
export function traceAttempt(delivery: Traced): TracedAttempt {
  const { id, webhook_id, workspace_id, message_id, traceparent, event, ladder_step } = delivery;
  const subject = message_id ?? id;
  if (!isRecorded(subject)) return { headers: isTracing() && traceparent !== null ? { traceparent } : {}, end: () => undefined };
  const { root } = traceStart(subject, traceparent);
  const { parent, links } = placeUnder(root);
  const isTest = message_id === null; // no request recorded the root
  const context = newSpanIn(root);
  const elapsed = stopwatch();
  return {
    headers: { traceparent: formatTraceparent(context) },
    end({ responseStatus, error }) {
      recordSpan({
        name: `deliver ${event}`,
        kind: 'client',
        context,
        parent: isTest ? undefined : parent,
        links,
        attributes: {
          'messaging.message.id': message_id ?? undefined,
          'workspace.id': workspace_id,
          'webhook.id': webhook_id,
          'delivery.id': id,
          event,
          attempt: ladder_step + 1,
          'http.response.status_code': responseStatus ?? undefined,
        },
        ...elapsed(),
        error: error ?? undefined,
      });
    },
  };
}
