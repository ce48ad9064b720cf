/** A Grafana board, from a short declaration. `npm run generate` writes deploy/grafana/boards from local/boards. */

/** Units of Grafana's panels. By second: requests `reqps`, messages `mps`, events `eps`, other operations `ops`. */
export type Unit = 'short' | 's' | 'percentunit' | 'reqps' | 'mps' | 'eps' | 'ops' | 'bytes';

/** A legend in Grafana's form: `{{account}}`. */
export type Query = readonly [expr: string, legend: string];

export interface Panel {
  title: string;
  /** What it shows, and what is normal. */
  about: string;
  unit: Unit;
  queries: readonly Query[];
  /** A single number instead of curves: red from this value on. */
  redFrom?: number;
  /** A single number instead of curves: red below this value. */
  redBelow?: number;
  /** Rows instead of curves: one for each series, red while its value is not 0. */
  inRows?: true;
  /** Curves that may be below 0. */
  isSigned?: true;
}

export interface Board {
  /** The file name, and the id in Grafana. */
  name: string;
  title: string;
  panels: readonly Panel[];
}

const datasource = { type: 'prometheus', uid: '${datasource}' };
const columns = 24;
const curvesSize = { w: 12, h: 8 };
const numberHeight = 4;

/** What Grafana reads: the JSON of a dashboard. */
export function dashboardOf({ name, title, panels }: Board): object {
  const place = placer();
  // The numbers fill the first row.
  const numberSize = { w: columns / panels.filter(isNumber).length, h: numberHeight };
  return {
    uid: `tidings-${name}`,
    title: `Tidings: ${title}`,
    tags: ['tidings'],
    schemaVersion: 39,
    editable: false,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    links: [{ title: 'Other boards', type: 'dashboards', tags: ['tidings'], asDropdown: true }],
    templating: { list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    annotations: { list: [firingAlerts] },
    panels: panels.map((panel, index) => panelOf(panel, index + 1, place(isNumber(panel) ? numberSize : curvesSize))),
  };
}

const firingAlerts = {
  name: 'Alerts',
  enable: true,
  iconColor: 'red',
  datasource,
  expr: 'ALERTS{alertname=~"Tidings.+", alertstate="firing"}',
  titleFormat: '{{alertname}}',
};

const panelOf = (panel: Panel, id: number, gridPos: object) => ({
  id,
  title: panel.title,
  description: panel.about,
  datasource,
  gridPos,
  targets: panel.queries.map(([expr, legendFormat], at) => ({
    refId: String.fromCodePoint(65 + at),
    datasource,
    expr,
    legendFormat,
    ...(isNumber(panel) ? now : {}),
  })),
  ...drawing(panel),
});

function drawing(panel: Panel) {
  if (isNumber(panel)) return number(panel);
  return panel.inRows ? rows(panel) : curves(panel);
}

/** Without it a number would keep its last value for hours after its process ended. */
const now = { instant: true, range: false };

const isNumber = ({ redFrom, redBelow }: Panel) => redFrom !== undefined || redBelow !== undefined;

const curves = ({ unit, isSigned }: Panel) => ({
  type: 'timeseries',
  fieldConfig: {
    defaults: { unit, ...(isSigned ? {} : { min: 0 }), custom: { lineWidth: 1, fillOpacity: 8, showPoints: 'never' } },
    overrides: [],
  },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
});

/** One color for values below the bound, another one from it on. */
const colorsFrom = (below: string, from: string, bound: number) => ({
  color: { mode: 'thresholds' },
  thresholds: {
    mode: 'absolute',
    steps: [
      { color: below, value: null },
      { color: from, value: bound },
    ],
  },
});

const rows = ({ unit }: Panel) => ({
  type: 'state-timeline',
  fieldConfig: {
    defaults: {
      unit,
      ...colorsFrom('green', 'red', 1),
      custom: { lineWidth: 0, fillOpacity: 80 },
    },
    overrides: [],
  },
  options: { mergeValues: true, showValue: 'never', rowHeight: 0.8, legend: { showLegend: false }, tooltip: { mode: 'single' } },
});

const number = ({ unit, redFrom, redBelow = 0 }: Panel) => ({
  type: 'stat',
  fieldConfig: {
    defaults: {
      unit,
      ...(redFrom === undefined ? colorsFrom('red', 'green', redBelow) : colorsFrom('green', 'red', redFrom)),
    },
    overrides: [],
  },
  options: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'background', graphMode: 'none' },
});

/** Places panels in rows, from left to right. */
function placer(): (of: { w: number; h: number }) => { x: number; y: number; w: number; h: number } {
  let [x, y, height] = [0, 0, 0];
  return ({ w, h }) => {
    if (x + w > columns || (height !== 0 && h !== height)) [x, y] = [0, y + height];
    height = h;
    const position = { x, y, w, h };
    x += w;
    return position;
  };
}

/** A quantile of a histogram over five minutes. @param by labels that stay apart */
export const quantile = (share: number, metric: string, by: readonly string[] = []): string =>
  `histogram_quantile(${share}, sum by (${['le', ...by].join(', ')}) (rate(${metric}_bucket[5m])))`;

/**
 * Events in a window. A series that is new in it counts with its value: its first events made it, and are no increase. After a gap in the scrapes a
 * series of the day before is not new. A Prometheus that has just been started counts all once.
 */
export const eventsIn = (window: string, series: string, by: readonly string[] = []): string =>
  `${sumBy(by)}(${series} unless last_over_time(${series}[1d] offset ${window}) or increase(${series}[${window}]))`;

/** Events per second over five minutes. */
export const rate = (metric: string, by: readonly string[], matchers = ''): string =>
  `${sumBy(by)}(rate(${metric}${matchers === '' ? '' : `{${matchers}}`}[5m]))`;

const sumBy = (by: readonly string[]) => (by.length === 0 ? 'sum' : `sum by (${by.join(', ')}) `);
