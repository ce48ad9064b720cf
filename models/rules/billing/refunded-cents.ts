/** How much of a charge is refunded, whatever the order in which its events arrive. */

/** A charge when one more refund of it was made. */
export interface ChargeRefund {
  /** The sum of its refunds before this one; null if unknown. */
  before: number | null;
  after: number;
  /** In seconds since 1970, whole ones; null if unknown. */
  at: number | null;
}

/** A refund whose money came back. */
export interface ReturnedRefund {
  amount: number;
  at: number | null;
}

/**
 * Each refund counts by itself: the result is the sum of all refunds less the sum of those that failed. An event may be missing, or a former
 * version may have stored it without `before`. Then each sum of the charge is a lower bound for all refunds, and the newest sum is an upper bound
 * for the result.
 */
export function refundedCents(events: readonly ChargeRefund[], returned: readonly ReturnedRefund[]): number {
  const refunds = events.filter((one, index) => !events.slice(0, index).some((other) => isRepeated(one, other, returned)));
  const least = refunds.map(({ after, at }) => {
    const [returnedBefore, refundedAfter] = [
      returned.filter((each) => isBefore(each.at, at)),
      refunds.filter((each) => isBefore(at, each.at)),
    ];
    return after + sumOf(returnedBefore.map(({ amount }) => amount)) + sumOf(refundedAfter.map(amountOf));
  });
  const back = sumOf(returned.map(({ amount }) => amount));
  const all = Math.max(back, sumOf(refunds.map(amountOf)), ...least);
  return Math.min(newestSum(refunds), all - back);
}

/**
 * Whether an event repeats another one: Stripe may report one refund in two events. Two refunds can have the same sums and the same time only if one
 * failed in between, in the same second. So if a refund may have failed in that second, the events count as two refunds. An event without a sum
 * before is only a lower bound and need not be left out.
 */
function isRepeated({ before, after, at }: ChargeRefund, other: ChargeRefund, returned: readonly ReturnedRefund[]): boolean {
  if (before === null || at === null || before !== other.before || after !== other.after || at !== other.at) return false;
  return returned.every((each) => each.at !== null && each.at !== at);
}

/** What is certain to have been refunded with this event. */
const amountOf = ({ before, after }: ChargeRefund): number => (before === null ? 0 : Math.max(0, after - before));

/** Of several sums in one second the greatest may be the newest, and so may one without a time. */
function newestSum(refunds: readonly ChargeRefund[]): number {
  const newest = Math.max(...refunds.map(({ at }) => at ?? -Infinity));
  return Math.max(0, ...refunds.filter(({ at }) => at === null || at === newest).map(({ after }) => after));
}

/** Known to be earlier. Times of one second are in no order. */
const isBefore = (one: number | null, other: number | null): boolean => one !== null && other !== null && one < other;

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);
