/** Reads what a board shows: runs the queries of the JSON that Grafana reads, over the time of a run. */
import type { Unit } from '../../../local/boards/board.js';
import { jsonOf } from '../../deploy/project.js';
import type { Prometheus } from '../../support/prometheus.js';
import type { CurvesPanel, DrawnBoard, DrawnPanel, RowsPanel, Span } from './drawn.js';

/** The part of the JSON that a picture needs. */
interface Dashboard {
  title: string;
  annotations: { list: { expr: string }[] };
  panels: ShownPanel[];
}

interface ShownPanel {
  title: string;
  description: string;
  type: 'stat' | 'timeseries' | 'state-timeline';
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string; legendFormat: string }[];
  fieldConfig: {
    defaults: {
      unit: Unit;
      thresholds?: { steps: { color: string; value: number | null }[] };
      custom?: { lineWidth: number; fillOpacity: number };
    };
  };
}

/** The values of one series over time: seconds since 1970, value. */
interface Series {
  metric: Readonly<Record<string, string>>;
  values: readonly (readonly [number, string])[];
}

/** Whole seconds since 1970. */
export interface Run {
  from: number;
  to: number;
}

/**
 * Windows of five minutes would flatten everything that happens within a run of five minutes, and alerts that wait for so long would not fire. So
 * both are a tenth. For expressions and for texts of rules.
 */
export const withShortTimes = (text: string): string =>
  text.replaceAll(/(\[|offset |for: )(\d+)([sm])\b/g, (whole, what: string, count: string, unit: string) => {
    const seconds = Number(count) * (unit === 'm' ? 60 : 1);
    return seconds > longestShortened ? whole : `${what}${Math.ceil(seconds / 10)}s`;
  });

/** The windows of burn rates stay: they contain the whole run anyhow. */
const longestShortened = 900;

/** @param name of a file in deploy/grafana/boards */
export async function readBoard(name: string, prometheus: Prometheus, run: Run): Promise<DrawnBoard> {
  const path = `deploy/grafana/boards/${name}.json`;
  const { title, annotations, panels } = jsonOf<Dashboard>(path);
  const seconds = run.to - run.from;
  const drawn: DrawnPanel[] = [];
  for (const panel of panels) drawn.push(await readPanel(panel, prometheus, run));
  const [firing] = annotations.list;
  return {
    title,
    note: `${path}, drawn by npm run screenshots:boards. Minutes since the start of the run; rates over 30 s instead of 5 min, alerts after a tenth of their time.`,
    seconds,
    alerts:
      firing === undefined ? [] : (await valuesOf(firing.expr, prometheus, run)).flatMap((series) => spansOf(everySecond(series, run))),
    panels: drawn,
  };
}

async function readPanel(
  { title, description, type, gridPos, targets, fieldConfig }: ShownPanel,
  prometheus: Prometheus,
  run: Run,
): Promise<DrawnPanel> {
  const { unit, thresholds, custom } = fieldConfig.defaults;
  const lines: CurvesPanel['lines'][number][] = [];
  for (const { expr, legendFormat } of targets) {
    const found = await valuesOf(withShortTimes(expr), prometheus, run);
    for (const series of found) lines.push({ name: legendOf(legendFormat, series), values: everySecond(series, run) });
  }
  const placed = { title, about: description, unit, place: gridPos };
  if (type === 'state-timeline') return { ...placed, kind: 'rows', rows: rowsOf(lines) };
  if (type === 'timeseries') return { ...placed, kind: 'curves', lineWidth: 1, fillOpacity: 0, ...custom, lines };
  const value = lines[0]?.values.at(-1) ?? null;
  const step = thresholds?.steps.findLast((each) => each.value === null || (value !== null && value >= each.value));
  return { ...placed, kind: 'number', value, colour: (value !== null && step?.color) || 'grey' };
}

/** The values of an expression every second. @throws Error if it is no expression */
async function valuesOf(expr: string, { url }: Prometheus, { from, to }: Run): Promise<Series[]> {
  const query = new URLSearchParams({ query: expr, start: String(from), end: String(to), step: '1' });
  const answer = await fetch(`${url}/api/v1/query_range?${query.toString()}`);
  const { data, error } = (await answer.json()) as { data?: { result: Series[] }; error?: string };
  if (data === undefined) throw new Error(`${expr}: ${error}`);
  return data.result;
}

const legendOf = (format: string, { metric }: Series): string =>
  format.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '').trim();

/** Null where there is no value, or none that is a number. */
function everySecond({ values }: Series, { from, to }: Run): (number | null)[] {
  const all: (number | null)[] = Array.from({ length: to - from + 1 }, () => null);
  for (const [at, text] of values) if (Number.isFinite(Number(text))) all[Math.round(at - from)] = Number(text);
  return all;
}

/** Those that have anything to show. */
const rowsOf = (lines: CurvesPanel['lines']): RowsPanel['rows'] =>
  lines.map(({ name, values }) => ({ name, spans: spansOf(values) })).filter(({ spans }) => spans.length > 0);

/** Times of values that follow each other without a gap. 0 counts as a gap. */
function spansOf(values: readonly (number | null)[]): Span[] {
  const spans: Span[] = [];
  for (const [at, value] of values.entries()) {
    const last = spans.at(-1);
    if (value === null || value === 0) continue;
    if (last?.to === at - 1) last.to = at;
    else spans.push({ from: at, to: at });
  }
  return spans;
}
