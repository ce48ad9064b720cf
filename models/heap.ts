import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heaps of this process grow with what lives in them. On a machine with much memory V8 lets garbage grow to several times
 * that before it collects. Costs a little more collecting, and sets no limit: a large batch still gets what it needs.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=40');
}
