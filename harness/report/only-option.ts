/**
 * The items that the option `--only` of a command chooses: their names contain one of its parts, which commas separate. All without the option.
 * @throws if a part is in no name, because a command that measures nothing must not look like a success
 */
export function chosenBy<Item>(only: string, items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  if (only === '') return [...items];
  const isIn = (part: string) => (item: Item) => nameOf(item).toLowerCase().includes(part);
  const parts = only.split(',').map((part) => part.trim().toLowerCase());
  const unknown = parts.find((part) => part === '' || !items.some(isIn(part)));
  if (unknown !== undefined) throw new Error(`--only ${unknown} names none of: ${items.map(nameOf).join(', ')}`);
  return items.filter((item) => parts.some((part) => isIn(part)(item)));
}
