/**
 * The position of a viewer in the events of its workspace, and its text form, which is the `id` of an event in a stream.
 *
 * The numbers of events (`seq`) are not a position: transactions commit in another order than they get numbers, so a lower number may
 * become visible after a higher one. A snapshot of PostgreSQL shows exactly which transactions were visible.
 */

/** Text form of `pg_snapshot`: `xmin:xmax:xip,xip,…`. */
export type Snapshot = string;

/** What a viewer has received. */
export interface Position {
  /** When `seen` or `reading` was taken, by the database's clock. */
  at: Date;
  /** All events that are visible in this snapshot were received. */
  seen: Snapshot;
  /** Of the events that are visible only in this later snapshot, those up to the number `seq` were received. Null between two rounds of reading. */
  reading: { until: Snapshot; seq: number } | null;
}

/** Our ids are shorter, because a snapshot has at most as many running transactions as PostgreSQL has connections. */
const textLengthMax = 8_000;
const number = '[0-9a-z]{1,13}';
const snapshotPattern = `${number}-${number}(?:-${number})*`;
const pattern = new RegExp(`^(${number})\\.(${snapshotPattern})(?:\\.(${snapshotPattern})\\.(${number}))?$`);

/** The position as text, with letters, digits, dots and dashes. */
export function formatPosition({ at, seen, reading }: Position): string {
  const parts = [at.getTime().toString(36), formatSnapshot(seen)];
  if (reading !== null) parts.push(formatSnapshot(reading.until), reading.seq.toString(36));
  return parts.join('.');
}

/** Parses the result of `formatPosition`; null for any other text. */
export function parsePosition(text: string): Position | null {
  const found = text.length > textLengthMax ? null : pattern.exec(text);
  if (found === null) return null;
  const [, atText = '', seenText = '', untilText, seqText = ''] = found;
  const at = new Date(Number.parseInt(atText, 36));
  const seen = parseSnapshot(seenText);
  const until = untilText === undefined ? undefined : parseSnapshot(untilText);
  const seq = untilText === undefined ? 0 : Number.parseInt(seqText, 36);
  if (Number.isNaN(at.getTime()) || seen === null || until === null || !Number.isSafeInteger(seq)) return null;
  return { at, seen, reading: until === undefined ? null : { until, seq } };
}

/** The newest snapshot of a position. */
export const newestSnapshot = ({ seen, reading }: Position): Snapshot => reading?.until ?? seen;

/** Numbers of running transactions are stored as the difference to the oldest one, because most ids have two snapshots. */
function formatSnapshot(snapshot: Snapshot): string {
  const [xmin = '', xmax = '', running = ''] = snapshot.split(':');
  const distances = [xmax, ...running.split(',').filter((each) => each !== '')].map((each) => Number(each) - Number(xmin));
  return [Number(xmin), ...distances].map((each) => each.toString(36)).join('-');
}

/** PostgreSQL rejects a snapshot whose transactions are not in order, or not between its bounds. */
function parseSnapshot(text: string): Snapshot | null {
  const [xmin = 0, ...distances] = text.split('-').map((part) => Number.parseInt(part, 36));
  const [xmax = 0, ...running] = distances.map((distance) => xmin + distance);
  const isOrdered = running.every((xid, index) => xid < xmax && xid > (running[index - 1] ?? xmin - 1));
  return xmin > 0 && Number.isSafeInteger(xmax) && isOrdered ? `${xmin}:${xmax}:${running.join(',')}` : null;
}

/** The progress of a viewer through the events that became visible between two snapshots. */
export interface Progress {
  position: Position;
  /** The position after all of them are received. */
  goal: Position;
}

/** The position after one of these events. */
export const positionAfter = ({ position, goal }: Progress, seq: number): Position => ({
  at: position.at,
  seen: position.seen,
  reading: { until: goal.seen, seq },
});

/** The progress that an id contains. The time of its later snapshot is unknown, so it counts as older than it is. */
export const progressAt = (position: Position): Progress => ({
  position,
  goal: { at: position.at, seen: newestSnapshot(position), reading: null },
});
