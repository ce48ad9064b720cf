import type { UsageBy, UsagePart } from '../../models/operations/workspaces/sum-usage.js';
import { presentFigures, sumFigures } from './figures.js';

/** The usage of a period: the sum and its parts. */
export const presentUsage = (parts: readonly UsagePart[], by: UsageBy) => ({
  ...presentFigures(sumFigures(parts)),
  usage: parts.map(({ part, ...figures }) => ({ [by]: part, ...presentFigures(figures) })),
});
