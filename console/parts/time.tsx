/** Moments in the user's time zone, with UTC on hover. */

export const dayMs = 86_400_000;

/** The page is in English: the browser's language gives the order of day and month, and not another year or other digits. */
const english = { calendar: 'gregory', numberingSystem: 'latn' } as const;
const dayAndTime = new Intl.DateTimeFormat(undefined, { ...english, dateStyle: 'medium', timeStyle: 'medium' });

/** `2026-11-21 10:00:00.000 UTC` */
const utcText = (at: string): string => `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`;

export const localText = (at: string): string => dayAndTime.format(new Date(at));

export function Time({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  if (at === null || at === undefined) return <span>{none}</span>;
  return (
    <time dateTime={at} title={utcText(at)}>
      {localText(at)}
    </time>
  );
}

const withZone = new Intl.DateTimeFormat(undefined, { ...english, dateStyle: 'medium', timeStyle: 'long' });

/** A moment with the user's time zone, for decisions that depend on it: `Nov 21, 2026, 10:00:00 AM GMT+1`. */
export const momentText = (at: string): string => withZone.format(new Date(at));

/** A duration in the unit that reads best: `850 ms`, `12.4 s`, `3 min`, `2 h`, `4 days`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / dayMs)} days`;
}

/** The value of `<input type="datetime-local">` as a moment; null if it is empty. */
export const momentOf = (local: string): string | null => {
  const date = new Date(local);
  return local === '' || Number.isNaN(date.getTime()) ? null : date.toISOString();
};

/**
 * The moment of a field of a filter. As long as nobody changes the field, it is that of the address, which may say more than the field shows:
 * seconds, or a whole day.
 */
export const filteredTime = (local: string, given: string | undefined): string | null =>
  local !== '' && local === localInput(given) ? (given ?? null) : momentOf(local);

/** The milliseconds of a time of the API or of an address, NaN if it is none. As in the API, a time without a zone is in UTC. */
export const millisOf = (text: string): number => Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text);

/** A moment as `<input type="datetime-local">` takes it: in the user's zone, to the minute. */
export function localInput(at: string | null | undefined): string {
  const millis = millisOf(at ?? '');
  if (Number.isNaN(millis)) return '';
  return new Date(millis - new Date(millis).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
