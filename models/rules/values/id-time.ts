/** Ids begin with their time (UUIDv7), so an index on ids finds a period without an index on times. */

/** Less than every id. To read from the first row on. */
export const lowestId = '00000000-0000-0000-0000-000000000000';

/** Greater than every id. To read from the last row on. */
export const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A row's `created_at` may be later than its id, or from another clock. The ids of a period are extended by this margin. */
const marginMs = 60_000;

/** An id that is less than those of all rows that were created at this time or later. */
export const idBefore = (at: Date) => firstIdOf(at.getTime() - marginMs);

/** The ids of a batch's messages are made while its body is read: up to this much later than their `created_at`. */
const laterMs = 600_000;

/** An id that is greater than those of all rows that were created at this time or earlier. */
export const idAfter = (at: Date) => firstIdOf(at.getTime() + laterMs);

const lastMs = 2 ** 48 - 1;

function firstIdOf(ms: number): string {
  const hex = Math.min(Math.max(0, ms), lastMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
