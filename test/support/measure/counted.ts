/** What work adds to a counter of this process. */
import type { Counter } from 'prom-client';

/** Runs the work. @returns for each series that it changed: the values of its labels, joined by spaces → what was added */
export async function addedTo<Label extends string>(
  counter: Counter<Label>,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const read = async () =>
    new Map((await counter.get()).values.map(({ labels, value }) => [Object.values<string | number | undefined>(labels).join(' '), value]));
  const before = await read();
  await work();
  const added = [...(await read())].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(added.filter(([, count]) => count !== 0));
}
