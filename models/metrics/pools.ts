/** The pools of connections of this thread, for the gauges that show how full they are. */

/** What is read of a pool of Sequelize. */
export interface Pool {
  readonly using: number;
  readonly available: number;
  readonly waiting: number;
  readonly maxSize: number;
}

const pools = new Set<Pool>();

/** Counts this pool from now on. @returns a function that ends this, to call when the pool is closed */
export function watchPool(pool: Pool): () => void {
  pools.add(pool);
  return () => pools.delete(pool);
}

/** How many connections of this thread are used and idle, how many it may open, and how many statements wait for one. */
export function poolUsage(): { used: number; idle: number; waiting: number; max: number } {
  const usage = { used: 0, idle: 0, waiting: 0, max: 0 };
  for (const { using, available, waiting, maxSize } of pools) {
    usage.used += using;
    usage.idle += available;
    usage.waiting += waiting;
    usage.max += maxSize;
  }
  return usage;
}
