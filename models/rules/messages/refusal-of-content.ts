import { tooManyPlaceholders } from '../../conflicts.js';
import type { AppError } from '../../errors.js';
import { countPlaceholders } from './template.js';

/** Deeper than the texts of any valid content. JSON can be nested deeper than the call stack allows. */
const levelsMax = 20;

/** The refusal of a content whose rendering would take too long: all its texts together have more than `max` placeholders. Otherwise undefined. */
export function refusalOfContent(content: unknown, max: number): AppError | undefined {
  let count = 0;
  const walk = (part: unknown, level: number): void => {
    if (count > max || level > levelsMax) return;
    if (typeof part === 'string') count += countPlaceholders(part, max + 1);
    else if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) walk(inner, level + 1);
  };
  walk(content, 0);
  return count > max ? tooManyPlaceholders(max) : undefined;
}
