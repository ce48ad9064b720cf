/** Random choices that are the same for the same seed. */

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer from `min` to `max`. */
  int(min: number, max: number): number;
  /** A number from `min` to `max`. */
  between(min: number, max: number): number;
  chance(share: number): boolean;
  choose<Item>(items: readonly Item[]): Item;
  shuffled<Item>(items: readonly Item[]): Item[];
  /** An independent generator. Its draws do not change those of other generators. */
  fork(label: string): Random;
}

/** @param seed any integer */
export function randomOf(seed: number): Random {
  const next = mulberry32(seed);
  const random: Random = {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    between: (min, max) => min + next() * (max - min),
    chance: (share) => next() < share,
    choose: <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)] as Item,
    shuffled: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ item }) => item),
    fork: (label) => randomOf(seed ^ hashOf(label)),
  };
  return random;
}

/** Mulberry32: 32 bits of state, passes gjrand. https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
