import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heaps of this process grow with what lives in them. On a machine with much memory V8 lets garbage grow to several times
 * that before it collects. Costs a little more collecting, and sets no limit: a large batch still gets what it needs.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=40');
}

/**
 * Limits of a second thread, which seldom has anything to do: room for fewer young objects than the process has, a third. What lives long is
 * not limited.
 */
export const secondThreadLimits = { maxYoungGenerationSizeMb: 16 } as const;
