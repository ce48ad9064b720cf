/** What the payment provider may tell of the refunds of one charge, and what is true of it. */
import fc from 'fast-check';

/** An event about the charge: the sum of its refunds before and after one more refund. */
export interface ToldRefund {
  before: number;
  after: number;
  /** Seconds since 1970. */
  at: number;
}

/** An event about a refund whose money came back. */
export interface ToldReturn {
  id: string;
  amount: number;
  at: number;
}

export interface RefundHistory {
  refunds: ToldRefund[];
  returns: ToldReturn[];
  /** What is refunded in the end. */
  cents: number;
}

type Step = { refund: number; seconds: number } | { failing: number; seconds: number };

/** @param secondsMin between two changes. 0: several changes in one second, of which nobody knows the order */
export const refundHistories = (secondsMin = 0, prefix = 're'): fc.Arbitrary<RefundHistory> => {
  const seconds = fc.integer({ min: secondsMin, max: secondsMin + 1 });
  const step = fc.oneof(
    fc.record({ refund: fc.integer({ min: 1, max: 250 }), seconds }),
    fc.record({ failing: fc.nat(5), seconds }),
  ) as fc.Arbitrary<Step>;
  return fc.array(step, { minLength: 1, maxLength: 10 }).map((steps) => historyOf(steps, prefix));
};

/** One history after another, not in the same second. */
export function continued(first: RefundHistory, later: RefundHistory): RefundHistory {
  const end = 1 + Math.max(0, ...[...first.refunds, ...first.returns].map(({ at }) => at));
  const raised = later.refunds.map(({ before, after, at }) => ({ before: before + first.cents, after: after + first.cents, at: at + end }));
  const returned = later.returns.map((each) => ({ ...each, at: each.at + end }));
  return { refunds: [...first.refunds, ...raised], returns: [...first.returns, ...returned], cents: first.cents + later.cents };
}

function historyOf(steps: readonly Step[], prefix: string): RefundHistory {
  const [refunds, returns]: [ToldRefund[], ToldReturn[]] = [[], []];
  const open: { id: string; amount: number }[] = [];
  let [cents, at] = [0, 0];
  for (const step of steps) {
    at += step.seconds;
    if ('refund' in step) {
      refunds.push({ before: cents, after: cents + step.refund, at });
      open.push({ id: `${prefix}_${refunds.length}`, amount: step.refund });
      cents += step.refund;
    } else {
      const [failed] = open.splice(step.failing, 1);
      if (failed === undefined) continue;
      returns.push({ ...failed, at });
      cents -= failed.amount;
    }
  }
  return { refunds, returns, cents };
}
