import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Makes V8 collect garbage earlier. On a machine with much memory, V8 otherwise lets the heap grow to several times the size of the live
 * objects. This costs a little CPU for collections. It sets no limit, so a large batch still gets the memory it needs.
 * Call it at the end of the start. During the start V8 would collect garbage all the time.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=40');
  // Before its first full collection V8 does not know how large the live objects are, and lets the heap grow to a default size.
  collectGarbage();
}

/** Collects all garbage of this thread. */
export function collectGarbage(): void {
  collect ??= exposedCollect();
  collect();
}

let collect: (() => void) | undefined;

/** V8 gives its function only to contexts that are made while the flag is set. */
function exposedCollect(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return gc;
}

/** Memory limits of the API's bulk thread. It is idle most of the time, so a third of the default room for young objects is enough. */
export const apiBulkThreadLimits = { maxYoungGenerationSizeMb: 16 } as const;

/**
 * Memory limits of the worker's thread of batches, which does most of the work of batches. Twice the default room for young objects: fewer of
 * them are alive when it is full, so collections take half the time.
 */
export const workerBatchThreadLimits = { maxYoungGenerationSizeMb: 96 } as const;
