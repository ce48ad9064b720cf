/** Reads a page of metrics strictly: what Prometheus would refuse fails. */
import assert from 'node:assert/strict';

/** Series, with its labels in the order of the page, → value. */
export type Series = Map<string, number>;

const value = '(?:[-+]?(?:\\d+(?:\\.\\d+)?(?:e[-+]?\\d+)?|Inf)|NaN)';
const label = '[a-zA-Z_]\\w*="(?:[^"\\\\\\n]|\\\\.)*"';
const sample = new RegExp(`^([a-zA-Z_:][\\w:]*)(\\{(?:${label}(?:,${label})*)?\\})? (${value})$`, 'i');

/** @param text Prometheus text, or OpenMetrics */
function readMetrics(text: string): Series {
  const series: Series = new Map();
  const types = new Set<string>();
  assert.ok(text.endsWith('\n'));
  for (const line of text.split('\n')) {
    const [, typed] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? [];
    if (typed !== undefined) {
      assert.ok(!types.has(typed), `two families ${typed}`);
      types.add(typed);
    }
    if (line === '' || line.startsWith('# HELP ') || typed !== undefined || line === '# EOF') continue;
    const [, name = '', labels = '', number] = sample.exec(line) ?? assert.fail(`not a sample: ${line}`);
    const family = name.replace(/_(bucket|sum|count)$/, '');
    assert.ok(types.has(name) || types.has(family) || types.has(name.replace(/_total$/, '')), `no type of ${line}`);
    assert.ok(!series.has(name + labels), `twice: ${line}`);
    series.set(name + labels, Number(number));
  }
  return series;
}

/** Sum of the series of a name whose labels have all of these. */
export function sumOf(series: Series, name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  return [...series]
    .filter(([key]) => (key === name || key.startsWith(`${name}{`)) && wanted.every((part) => key.includes(part)))
    .reduce((sum, [, number]) => sum + number, 0);
}

/** Scrapes a process. @param accept `Accept` of the request */
export async function scrape(port: number, accept = 'text/plain'): Promise<{ type: string; text: string; series: Series; ms: number }> {
  const begun = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { Accept: accept } });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return { type: answer.headers.get('content-type') ?? '', text, series: readMetrics(text), ms: performance.now() - begun };
}
