/**
 * Draws a board in the manner of Grafana: its panels in their grid, curves by uPlot, by which Grafana draws too. `take-pictures.ts` bundles
 * this file and runs it in Chromium.
 */
import UPlot from 'uplot';
import type { Unit } from '../../../../local/boards/board.js';
import type { CurvesPanel, DrawnBoard, DrawnPanel, NumberPanel, RowsPanel } from '../drawn.js';
import { shown } from '../format.js';

/** Grafana's: pixels of a row and between panels. */
const grid = { columns: 24, row: 30, gap: 8 };
const colours = ['#3871dc', '#56a64b', '#e55400', '#8f3bb8', '#e0b400', '#00838f', '#e02f44', '#7a5c3e', '#d6449b', '#5d6d7e'] as const;
const decimalSteps = (powers: readonly number[]) => powers.flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));
/** The steps between the marks of an axis, so that their texts are round numbers. Other units have uPlot's, which are decimal. */
const steps: Partial<Record<Unit, number[]>> = {
  bytes: Array.from({ length: 30 }, (_, power) => 2 ** (power + 10)),
  s: [...decimalSteps([-6, -5, -4, -3, -2, -1, 0]), 10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400],
  short: decimalSteps([0, 1, 2, 3, 4, 5, 6, 7, 8]),
};

/** Fills the page. @returns the titles of panels without data, and of those whose legend is cut */
function drawBoard(board: DrawnBoard): string[] {
  document.body.replaceChildren(element('h1', '', board.title), element('p', '', board.note));
  const main = element('main', '');
  document.body.append(main);
  return board.panels.flatMap((panel) => drawPanel(main, panel, board));
}

function drawPanel(main: HTMLElement, panel: DrawnPanel, board: DrawnBoard): string[] {
  const { x, y, w, h } = panel.place;
  const column = (main.clientWidth + grid.gap) / grid.columns;
  const line = grid.row + grid.gap;
  const place = element('section', panel.kind, element('h2', '', panel.title), element('small', '', panel.about));
  Object.assign(place.style, {
    left: `${x * column}px`,
    top: `${y * line}px`,
    width: `${w * column - grid.gap}px`,
    height: `${h * line - grid.gap}px`,
  });
  main.style.height = `${Math.max(main.clientHeight, (y + h) * line)}px`;
  main.append(place);
  if (panel.kind === 'number') return drawNumber(place, panel);
  return panel.kind === 'rows' ? drawRows(place, panel, board) : drawCurves(place, panel, board);
}

function drawNumber(place: HTMLElement, { title, value, unit, colour }: NumberPanel): string[] {
  place.classList.add(colour);
  place.append(element('strong', '', value === null ? 'No data' : shown(value, unit)));
  return value === null ? [`${title}: no data`] : [];
}

function drawRows(place: HTMLElement, { title, rows }: RowsPanel, { seconds }: DrawnBoard): string[] {
  const spread = (className: string, from: number, to: number, text = '') => {
    const part = element('b', className, text);
    Object.assign(part.style, { left: `${(from / seconds) * 100}%`, width: `${((to - from) / seconds) * 100}%` });
    return part;
  };
  const minutes = Array.from({ length: Math.floor(seconds / 60) + 1 }, (_, minute) => minute * 60);
  const row = (name: string, parts: HTMLElement[]) => element('div', 'row', element('span', '', name), element('div', 'track', ...parts));
  const bars = rows.map(({ name, spans }) =>
    row(
      name,
      spans.map(({ from, to }) => spread('red', from, to + 1)),
    ),
  );
  place.append(
    ...bars,
    row(
      '',
      minutes.map((at) => spread('', at, at, clock(at))),
    ),
  );
  return place.scrollHeight > place.clientHeight ? [`${title}: rows are cut`] : [];
}

function drawCurves(place: HTMLElement, panel: CurvesPanel, board: DrawnBoard): string[] {
  const lines = panel.lines.filter(({ values }) => values.some((value) => value !== null));
  if (lines.length === 0) {
    place.append(element('em', '', 'No data'));
    return [`${panel.title}: no data`];
  }
  const plot = element('div', 'plot');
  const legend = element(
    'ul',
    '',
    ...lines.map(({ name }, index) => {
      const mark = element('i', '');
      mark.style.background = colourOf(index);
      return element('li', '', mark, name);
    }),
  );
  place.append(plot, legend);
  const times = Array.from({ length: board.seconds + 1 }, (_, second) => second);
  plot.append(new UPlot(optionsOf(plot, { ...panel, lines }, board), [times, ...lines.map(({ values }) => [...values])]).root);
  return legend.scrollHeight > legend.clientHeight ? [`${panel.title}: the legend is cut`] : [];
}

const colourOf = (index: number): string => colours[index % colours.length] ?? colours[0];

function optionsOf(place: HTMLElement, { lines, unit, lineWidth, fillOpacity }: CurvesPanel, board: DrawnBoard): UPlot.Options {
  const mark = { stroke: '#e8e9ea', width: 1 };
  const axis = { stroke: '#24292e', font: '12px sans-serif', grid: mark, ticks: { ...mark, size: 4 } };
  const opacity = Math.round((fillOpacity / 100) * 255)
    .toString(16)
    .padStart(2, '0');
  return {
    width: place.clientWidth,
    height: place.clientHeight,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [0, board.seconds] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      { ...axis, size: 26, incrs: [30, 60], space: 60, values: (_plot, marks) => marks.map(clock) },
      {
        ...axis,
        size: 76,
        space: 36,
        ...(steps[unit] === undefined ? {} : { incrs: steps[unit] }),
        values: (_plot, marks) => marks.map((value) => shown(value, unit)),
      },
    ],
    series: [
      {},
      ...lines.map(({ name }, index) => ({
        label: name,
        stroke: colourOf(index),
        width: lineWidth,
        fill: `${colourOf(index)}${opacity}`,
        points: { show: false },
      })),
    ],
    hooks: { drawAxes: [(plot) => markAlerts(plot, board)] },
  };
}

/** A dashed line where an alert begins, as the annotation of the boards has it. */
function markAlerts(plot: UPlot, { alerts }: DrawnBoard): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = '#e02f44';
  ctx.lineWidth = 1;
  ctx.setLineDash([4, 4]);
  for (const { from } of alerts) {
    const at = Math.round(plot.valToPos(from, 'x', true)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(at, bbox.top);
    ctx.lineTo(at, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

function element(name: string, className: string, ...content: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.append(...content);
  return made;
}

Object.assign(globalThis, { drawBoard });
