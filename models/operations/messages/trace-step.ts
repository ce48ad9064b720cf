import type { Channel } from '../../channels.js';
import type { MessageRow } from '../../tables/message.js';
import { isRecorded, placeUnder, recordSpan } from '../../tracing/tracing.js';
import { traceStart } from '../../tracing/trace-context.js';

/** Records the root of the trace of a fallback step, which no request sent: linked to the message before it. */
export function traceStep(
  before: Pick<MessageRow, 'id' | 'workspace_id' | 'traceparent'>,
  { id, channel }: { id: string; channel: Channel },
): void {
  if (!isRecorded(id)) return;
  const { root, client: parent } = traceStart(id, before.traceparent);
  const { root: first } = traceStart(before.id, before.traceparent);
  recordSpan({
    name: `fall back to ${channel}`,
    kind: 'producer',
    context: root,
    parent,
    links: [first, ...placeUnder(root).links],
    attributes: { 'messaging.message.id': id, 'workspace.id': before.workspace_id, channel },
    begunAt: Date.now(),
    durationMs: 0,
  });
}
