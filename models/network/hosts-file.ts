/** The names in the operator's hosts file. They have precedence over DNS servers. */
import { readFile, stat } from 'node:fs/promises';

const path = '/etc/hosts';
/** The file is not read again within this time. */
const freshMs = 2_000;

let read: { at: number; modifiedMs: number; names: ReadonlyMap<string, readonly string[]> } | undefined;

/** The addresses of a name in that file; empty if it has none, or there is no such file. */
export async function addressesInHosts(name: string): Promise<readonly string[]> {
  const now = performance.now();
  if (read === undefined || now - read.at > freshMs) read = await readAgain(now);
  return read.names.get(name) ?? [];
}

async function readAgain(at: number): Promise<NonNullable<typeof read>> {
  const modifiedMs = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  if (read?.modifiedMs === modifiedMs) return { ...read, at };
  return { at, modifiedMs, names: namesIn(await readFile(path, 'utf8').catch(() => '')) };
}

/** Name in lower case → addresses. */
export function namesIn(text: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...own] = line.replace(/#.*$/, '').trim().split(/\s+/);
    for (const name of own) names.set(name.toLowerCase(), [...(names.get(name.toLowerCase()) ?? []), address]);
  }
  return names;
}
