import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect garbage earlier. On a machine with much memory, V8 otherwise lets the heap grow to several times the size of the live
 * objects. This costs a little CPU for collections. It sets no limit, so a large batch still gets the memory it needs.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=40');
}

/** Memory limits of a worker thread. The thread is idle most of the time, so a third of the default room for young objects is enough. */
export const workerThreadLimits = { maxYoungGenerationSizeMb: 16 } as const;
