import type { NewMessage } from '../../tables/message.js';
import { isRecorded, placeUnder, recordSpan } from '../../tracing/tracing.js';
import { rootOf } from '../../tracing/trace-context.js';

/** Records the root of the trace of a fallback step, which no request sent: linked to the message before it. */
export function traceStep(before: Pick<NewMessage, 'id' | 'traceparent'>, { id, workspace_id, channel, traceparent }: NewMessage): void {
  if (!isRecorded(id)) return;
  const { parent, ...root } = rootOf(id, traceparent);
  const { parent: _, ...first } = rootOf(before.id, before.traceparent);
  recordSpan({
    name: `fall back to ${channel}`,
    kind: 'producer',
    context: root,
    parent,
    links: [first, ...placeUnder(root).links],
    attributes: { 'messaging.message.id': id, 'workspace.id': workspace_id, channel },
    begunAt: Date.now(),
    durationMs: 0,
  });
}
