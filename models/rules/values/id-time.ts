/** Ids begin with their time (UUIDv7), so an index on ids finds a period without an index on times. */

/** Below every id: where reading from the first on begins. */
export const lowestId = '00000000-0000-0000-0000-000000000000';

/** Above every id: where reading from the last on begins. */
export const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A row's `created_at` may be the database's, later than its id, or of another clock: the ids of a period reach so far beyond it. */
const marginMs = 60_000;

/** An id below all of rows that were created at this time or later. */
export const idBefore = (at: Date) => firstIdOf(at.getTime() - marginMs);

const lastMs = 2 ** 48 - 1;

function firstIdOf(ms: number): string {
  const hex = Math.min(Math.max(0, ms), lastMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
