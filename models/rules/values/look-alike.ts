/** Finds the known name that an unknown one probably means: the same in another case or style, or with one or two different letters. */

/** Longer names are not compared. */
const lengthMax = 64;

/** `scheduledAt`, `Scheduled-At` and `scheduled_at` are one name in three styles. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[_\-. ]/g, '');

/** In a short name, two different letters make another word. */
const lettersOff = (name: string) => (name.length < 5 ? 1 : 2);

/** A known name as it is compared. */
interface Known {
  name: string;
  plain: string;
  lower: string;
}

/** Each list is prepared once: a body can contain many unknown names. */
const prepared = new WeakMap<readonly string[], Known[]>();

function preparedOf(names: readonly string[]): Known[] {
  const found = prepared.get(names) ?? names.map((name) => ({ name, plain: plain(name), lower: name.toLowerCase() }));
  prepared.set(names, found);
  return found;
}

/**
 * @param known the same list each time: what is computed from it is kept with it
 * @returns the most similar known name; undefined if none is similar
 */
export function lookAlike(name: string, known: readonly string[]): string | undefined {
  if (name.length > lengthMax) return undefined;
  const [plainName, lowerName] = [plain(name), name.toLowerCase()];
  let nearest: string | undefined;
  let nearestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of preparedOf(known)) {
    if (candidate.plain === plainName) return candidate.name;
    const maxDistance = lettersOff(candidate.name.length < name.length ? candidate.name : name);
    if (Math.abs(candidate.name.length - name.length) > maxDistance) continue;
    const distance = distanceOf(lowerName, candidate.lower);
    if (distance > maxDistance || distance >= nearestDistance) continue;
    nearest = candidate.name;
    nearestDistance = distance;
  }
  return nearest;
}

/** How many letters must be inserted, deleted, replaced or swapped with their neighbour (optimal string alignment). */
function distanceOf(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const [left = 0, above = 0, corner = 0] = [current[column - 1], last[column], last[column - 1]];
      let edits = Math.min(left + 1, above + 1, corner + (isSame ? 0 : 1));
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwap) edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1);
      current.push(edits);
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
}
