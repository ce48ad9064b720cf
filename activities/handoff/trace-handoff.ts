import type { Claim } from '../../models/operations/handoff/claim-handoffs.js';
import type { HandoffResult } from '../../models/operations/handoff/record-handoffs.js';
import { isRecorded, placeUnder, recordSpan, stopwatch } from '../../models/tracing/tracing.js';
import { newSpanIn, traceStart } from '../../models/tracing/trace-context.js';

/**
 * Begins the span of one call to a carrier.
 * @param inBatch the message is part of a batch: no request began its trace, so its first call does
 * @returns a function that ends it
 */
export function traceHandoff(claim: Claim, inBatch: boolean): (result: HandoffResult) => void {
  const { id, attempt, channel } = claim;
  if (!isRecorded(id)) return () => undefined;
  const { root, client } = traceStart(id, claim.traceparent);
  const { parent, links } = placeUnder(root);
  const isRoot = inBatch && attempt === 1;
  const elapsed = stopwatch();
  return (result) => {
    const detail = 'error_code' in result ? result.error_code : result.outcome;
    recordSpan({
      name: `hand-off ${channel}`,
      kind: 'client',
      context: isRoot ? root : newSpanIn(root),
      parent: isRoot ? client : parent,
      links,
      attributes: {
        'messaging.message.id': id,
        'workspace.id': claim.workspace_id,
        channel,
        'carrier.account': claim.account,
        attempt,
        outcome: result.outcome,
      },
      ...elapsed(),
      error: result.outcome === 'accepted' ? undefined : detail,
    });
  };
}
