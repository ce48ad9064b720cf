import { type Database, select } from '../../db/database.js';
import type { MessageRow } from '../../tables/message.js';
import type { IncomingReport } from '../../rules/callbacks/callback.js';
import { isRecorded, isTracing, recordSpan, type stopwatch } from '../../tracing/tracing.js';
import { newSpanIn, traceStart } from '../../tracing/trace-context.js';

type Reported = Pick<MessageRow, 'id' | 'workspace_id' | 'channel' | 'traceparent'>;

/**
 * Records the spans of new reports, each in the trace of its message. Carriers pass no trace on, so the messages are read. The callback does
 * not wait for that.
 */
export function traceReports(
  db: Database,
  reports: readonly (IncomingReport & { id: string })[],
  stored: readonly { id: string; message_id: string | null }[],
  elapsed: ReturnType<typeof stopwatch>,
): void {
  if (!isTracing()) return;
  const messageOf = new Map(
    stored.flatMap(({ id, message_id }) => (message_id === null || !isRecorded(message_id) ? [] : [[id, message_id]])),
  );
  if (messageOf.size === 0) return;
  const span = elapsed();
  const record = (messages: readonly Reported[]) => {
    const byId = new Map(messages.map((message) => [message.id, message]));
    for (const report of reports) {
      const message = byId.get(messageOf.get(report.id) ?? '');
      if (message !== undefined) recordReport(report, message, span);
    }
  };
  void select<Reported>(db, reported, [[...messageOf.values()]]).then(record, () => undefined); // a lost span harms nobody
}

const reported = 'SELECT id, workspace_id, channel, traceparent FROM messages WHERE id = ANY($1::uuid[])';

function recordReport(
  { status, provider, error_code }: IncomingReport,
  { id, workspace_id, channel, traceparent }: Reported,
  span: { begunAt: number; durationMs: number },
): void {
  const { root } = traceStart(id, traceparent);
  recordSpan({
    name: `report ${status}`,
    kind: 'consumer',
    context: newSpanIn(root),
    parent: root,
    attributes: { 'messaging.message.id': id, 'workspace.id': workspace_id, channel, 'carrier.account': provider, status },
    ...span,
    error: error_code ?? undefined,
  });
}
