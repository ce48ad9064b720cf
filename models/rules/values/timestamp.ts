/** The ISO 8601 timestamps that this service accepts: the extended calendar form, checked against the calendar. */

const pattern = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** The end of the year 9999, in seconds since 1970. */
export const endOfYear9999 = 253_402_300_800;
const beginOfYear1000 = -30_610_224_000;

/** Whether the year in UTC has four digits, the first not 0: PostgreSQL cannot read other years as JavaScript writes them. */
export const hasUsualYear = (at: Date): boolean => at.getTime() >= beginOfYear1000 * 1000 && at.getTime() < endOfYear9999 * 1000;

export interface Timestamp {
  at: Date;
  /** The text is a day, not a time. */
  isDay: boolean;
  /** The text has a time zone. */
  hasZone: boolean;
}

/**
 * Parses `2026-03-01`, `2026-03-01T12:00`, `2026-03-01T12:00:00.000Z`, `2026-03-01T12:00:00+01:00`. The default time zone is UTC. Returns
 * null for every other text, for days that do not exist, and for times before the year 1000 or after 9999 in UTC.
 */
export function readTimestamp(text: string): Timestamp | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone] = match;
  const fraction = /[.,](\d+)/.exec(text)?.[1] ?? '';
  const fields = [year, month, day, hour, minute, second].map(Number) as Fields;
  const offset = offsetMinutes(zone);
  if (offset === null || !isOnCalendar(fields)) return null;
  const millis = Math.trunc(Number(`0.${fraction || 0}`) * 1000);
  const at = new Date(Date.UTC(fields[0], fields[1] - 1, fields[2], fields[3], fields[4] - offset, fields[5], millis));
  // The offset can move it out of the years that the pattern has.
  if (!hasUsualYear(at)) return null;
  return { at, isDay: match[4] === undefined, hasZone: zone !== undefined };
}

type Fields = [year: number, month: number, day: number, hour: number, minute: number, second: number];

/** Years before 1000 are rejected: JavaScript reads 0–99 as 19xx, and PostgreSQL has no year 0. */
function isOnCalendar([year, month, day, hour, minute, second]: Fields): boolean {
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return year >= 1000 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth && hour < 24 && minute < 60 && second < 60;
}

/** Minutes east of Greenwich; null for an offset that no time zone has. */
function offsetMinutes(zone: string | undefined): number | null {
  if (zone === undefined || zone === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || 0)];
  if (hours > 14 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
