/** Pages of metrics that other programs wrote, put together into one: each family has one head, whatever pages its values come from. */

interface Family {
  head: string[];
  values: string[];
}

/**
 * Puts pages in Prometheus text together. A page that cannot be read gives nothing.
 * @param openMetrics heads as OpenMetrics has them: a counter is named without `_total`
 */
export function mergePages(pages: readonly string[], openMetrics: boolean): string {
  const families = new Map<string, Family>();
  for (const page of pages) addPage(families, page);
  const headLine = (line: string) => (openMetrics && isCounter(line, families) ? line.replace(/^(# \w+ \S+?)_total /, '$1 ') : line);
  return [...families.values()]
    .flatMap(({ head, values }) => [...head.map(headLine), ...values])
    .map((line) => `${line}\n`)
    .join('');
}

/** Adds each value to the family whose head is above it. */
function addPage(families: Map<string, Family>, page: string): void {
  let current: Family | undefined;
  for (const line of page.split('\n')) {
    const [, name] = /^# (?:HELP|TYPE) (\S+)/.exec(line) ?? [];
    if (name === undefined) {
      if (line !== '' && !line.startsWith('#')) current?.values.push(line);
      continue;
    }
    current = families.get(name) ?? { head: [], values: [] };
    families.set(name, current);
    if (!current.head.some((other) => other.slice(0, 6) === line.slice(0, 6))) current.head.push(line);
  }
}

const isCounter = (line: string, families: ReadonlyMap<string, Family>) => {
  const [, , name = ''] = line.split(' ');
  return families.get(name)?.head.some((other) => other.endsWith(' counter')) === true;
};
