/** All orders of the items. */
export const permutations = <Item>(items: readonly Item[]): Item[][] =>
  items.length === 0 ? [[]] : items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]));
