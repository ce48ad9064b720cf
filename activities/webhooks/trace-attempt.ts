import type { SendableDelivery } from '../../models/operations/webhooks/due-deliveries.js';
import { isRecorded, isTracing, placeUnder, recordSpan, stopwatch } from '../../models/tracing/tracing.js';
import { formatTraceparent, randomSpanId, rootOf } from '../../models/tracing/trace-context.js';
import type { PostResult } from './post-webhook.js';

type Traced = Pick<SendableDelivery, 'id' | 'webhook_id' | 'workspace_id' | 'message_id' | 'traceparent' | 'event' | 'ladder_step'>;

export interface TracedAttempt {
  /** The header `traceparent` for the receiver. It is not signed. */
  headers: Record<string, string>;
  end(result: Pick<PostResult, 'responseStatus' | 'error'>): void;
}

/**
 * Begins the span of one attempt of a delivery. The receiver continues the trace of the message. If that is not recorded here, a client's trace
 * is passed on as it came, so that the client's own is not broken.
 */
export function traceAttempt(delivery: Traced): TracedAttempt {
  const { id, webhook_id, workspace_id, message_id, traceparent, event, ladder_step } = delivery;
  const subject = message_id ?? id;
  if (!isRecorded(subject)) return { headers: isTracing() && traceparent !== null ? { traceparent } : {}, end: () => undefined };
  const { parent: _, ...root } = rootOf(subject, traceparent);
  const { parent, links } = placeUnder(root);
  const isRoot = message_id === null; // a test
  const context = isRoot ? root : { traceId: root.traceId, spanId: randomSpanId() };
  const elapsed = stopwatch();
  return {
    headers: { traceparent: formatTraceparent(context) },
    end({ responseStatus, error }) {
      recordSpan({
        name: `deliver ${event}`,
        kind: 'client',
        context,
        parent: isRoot ? undefined : parent,
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
