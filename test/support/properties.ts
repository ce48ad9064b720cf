/** Examples for tests: the same ones of properties in each run, and all orders of a few items. */
import fc from 'fast-check';

// One seed repeats the examples of earlier runs, so that a failure comes from the change. PROPERTY_SEED=random searches for new examples.
const { PROPERTY_SEED: seed = '1' } = process.env;
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });

/** All orders of the items. */
export const permutations = <Item>(items: readonly Item[]): Item[][] =>
  items.length === 0 ? [[]] : items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]));
