import type { Usage, UsageBy, UsagePart } from '../../models/operations/workspaces/sum-usage.js';
import { toCredits } from '../../models/rules/billing/credits.js';

const nothing: Usage = { messages: 0, delivered: 0, failed: 0, credits: 0 };

/** The usage of a period: the sum and its parts. */
export function presentUsage(parts: readonly UsagePart[], by: UsageBy) {
  const whole = parts.reduce<Usage>(
    (sum, { messages, delivered, failed, credits }) => ({
      messages: sum.messages + messages,
      delivered: sum.delivered + delivered,
      failed: sum.failed + failed,
      credits: sum.credits + credits,
    }),
    nothing,
  );
  return { ...presentSums(whole), usage: parts.map(({ part, ...sums }) => ({ [by]: part, ...presentSums(sums) })) };
}

const presentSums = ({ messages, delivered, failed, credits }: Usage) => ({ messages, delivered, failed, credits: toCredits(credits) });
