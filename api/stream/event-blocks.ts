/** Events as a client of server-sent events reads them (HTML Standard, 9.2). */
import type { StreamedEvent } from '../../models/operations/streams/read-events.js';
import { positionAfter, formatPosition, type Position, type Progress } from '../../models/rules/streams/position.js';

/**
 * The blocks of a page of events of one workspace. The id of a block is the position after its event.
 * @param isLast no event of the stretch comes after this page
 */
export function eventBlocks(events: readonly StreamedEvent[], progress: Progress, isLast: boolean): Buffer {
  const end = isLast ? events.length - 1 : -1;
  const blocks = events.map(({ seq, type, body }, index) => {
    const id = formatPosition(index === end ? progress.goal : positionAfter(progress, seq));
    return `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`; // the body is JSON in one line
  });
  return Buffer.from(blocks.join(''));
}

/** An id without an event: the client continues there when it connects again. The comment shows proxies that the connection is alive. */
export const idBlock = (position: Position): Buffer => Buffer.from(`: ok\nid: ${formatPosition(position)}\n\n`);

/** How long the client waits before it connects again. */
export const retryBlock = (ms: number): Buffer => Buffer.from(`retry: ${ms}\n\n`);

/** The event that informs a client that events may be missing before this position. */
export const resetEventType = 'stream.reset';

export function resetBlock(position: Position): Buffer {
  const body = JSON.stringify({ event: resetEventType, timestamp: position.at.toISOString(), data: {} });
  return Buffer.from(`id: ${formatPosition(position)}\nevent: ${resetEventType}\ndata: ${body}\n\n`);
}
