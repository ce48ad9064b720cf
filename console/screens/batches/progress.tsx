/** How far a batch is. */
import type { Schema } from '../../api/call.js';

/** Messages that are no longer queued: handed off, or ended before it. */
export function Progress({ batch: { accepted, counts } }: { batch: Pick<Schema<'BatchSummary'>, 'accepted' | 'counts'> }) {
  const done = accepted - counts.queued;
  const text = `${done.toLocaleString()} of ${accepted.toLocaleString()}`;
  return (
    <>
      <progress max={Math.max(accepted, 1)} value={done} aria-label={text} /> {text}
    </>
  );
}
