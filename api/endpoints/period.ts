import { invalidField, periodTooLong } from '../../models/errors.js';
import type { Period } from '../../models/operations/workspaces/sum-usage.js';

export const dayMs = 86_400_000;

/** The fault of a period that ends before it starts. A period without a given end ends now, so its start must not be in the future. */
export const endsBeforeStart = (start: string, end: string, isEndGiven: boolean) =>
  isEndGiven ? invalidField(end, `${end} must not be before ${start}`) : invalidField(start, `${start} must not be in the future`);

/**
 * The period of a request. It ends now unless the request says otherwise.
 * @param daysDefault its length in days if the request gives no start
 * @throws AppError 400 when the period ends before it starts, or is too long
 */
export function periodOf(
  { from, to: end }: { from?: Date; to?: Date },
  { daysDefault, daysMax }: { daysDefault: number; daysMax: number },
): Period {
  const to = end ?? new Date();
  const begin = from ?? new Date(Math.min(to.getTime(), Math.max(to.getTime() - daysDefault * dayMs, 0)));
  if (begin > to) throw endsBeforeStart('from', 'to', end !== undefined);
  if (to.getTime() - begin.getTime() > daysMax * dayMs) throw periodTooLong(daysMax);
  return { from: begin, to };
}
