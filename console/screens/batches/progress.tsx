/** How far a batch is. */
import type { Schema } from '../../api/call.js';
import { Progress } from '../../parts/progress.js';

/** Messages that are no longer queued: handed off, or ended before it. */
export const BatchProgress = ({ accepted, counts }: Pick<Schema<'BatchSummary'>, 'accepted' | 'counts'>) => (
  <Progress done={accepted - counts.queued} of={accepted} />
);
