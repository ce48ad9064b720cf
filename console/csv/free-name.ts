/**
 * The first of `name`, `numbered(2)`, `numbered(3)` and so on that is not taken. It is taken from then on.
 * @param taken is added to
 */
export function freeName(name: string, taken: Set<string>, numbered: (count: number) => string): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = numbered(count);
  taken.add(free);
  return free;
}
