/** Random parts of waits, so that waiting groups do not all return at once. Times are milliseconds. */

/** A shorter wait for the end of a hold is spent in the slots of activities, which are few. */
const laterMsMin = 2_000;

/**
 * A wait for the end of a hold, lengthened by up to a fifth. Otherwise all waiting groups would call an account without a limit at the same
 * moment, and it would throttle again.
 */
export const withLaterJitter = (waitMs: number) => (waitMs > laterMsMin ? waitMs * (1 + 0.2 * Math.random()) : waitMs);

/** A wait whose end does not matter much: a fifth shorter or longer. */
export const withJitter = (waitMs: number) => waitMs * (0.8 + 0.4 * Math.random());

/** A wait that ends before a free time, so that no time of the provider stays unused: up to a fifth shorter. */
export const withEarlierJitter = (waitMs: number) => waitMs * (0.8 + 0.2 * Math.random());
