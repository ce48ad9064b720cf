/** A chart of values over time. The library is loaded when the first chart is drawn. A table beside it has the same values. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type UPlot from 'uplot';
import { theme } from '../state/theme.js';
import { numberText } from './count.js';
import { localText } from './time.js';

export interface Line {
  name: string;
  /** One for each time. */
  values: readonly number[];
}

interface Props {
  title: string;
  /** Milliseconds since 1970. */
  times: readonly number[];
  lines: readonly Line[];
  /** Times are shown in UTC: those of days that begin at midnight UTC. */
  isUtc?: boolean;
}

const height = 220;
/** Variables of the style sheet. Lines and their marks in the legend also differ in their dashes. */
const strokes = [
  ['--accent', [], 'solid'],
  ['--good', [8, 4], 'dashed'],
  ['--busy', [2, 4], 'dotted'],
] as const;
const strokeOf = (index: number) => strokes[index % strokes.length] ?? strokes[0];

export function Chart({ title, times, lines, isUtc = false }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const chosen = theme.value;
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let plot: UPlot | undefined;
    const draw = async () => {
      const library = await import('uplot').catch(() => null);
      if (library === null) return setMissing(true);
      if (!element.isConnected) return;
      const { default: Plot } = library;
      plot?.destroy();
      const zone = isUtc ? { tzDate: (seconds: number) => Plot.tzDate(new Date(seconds * 1000), 'Etc/UTC') } : {};
      plot = new Plot(
        { ...optionsFor(element, lines, isUtc), ...zone },
        [times.map((time) => time / 1000), ...lines.map(({ values }) => [...values])],
        element,
      );
    };
    const resized = new ResizeObserver(() => plot?.setSize({ width: widthIn(element), height }));
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => void draw();
    scheme.addEventListener('change', redraw);
    redraw();
    return () => {
      scheme.removeEventListener('change', redraw);
      resized.disconnect();
      plot?.destroy();
      plot = undefined;
    };
  }, [times, lines, isUtc, chosen]);
  if (isMissing) return <p>The chart could not be loaded. Reload the page to try again. The table has its values.</p>;
  return <div class="chart" ref={place} role="img" aria-label={`${title}: ${lines.map(({ name }) => name).join(', ')}`} />;
}

function optionsFor(element: HTMLElement, lines: readonly Line[], isUtc: boolean): UPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => colourOf(element, name);
  const axis = { stroke: style.color, grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line') } };
  return {
    width: widthIn(element),
    height,
    // A drag would zoom, and a click on the legend hide a line. Neither can be done by keyboard.
    cursor: { bind: { mousedown: () => null, click: () => null } },
    legend: { markers: { dash: (_plot, series) => strokeOf(series - 1)[2] } },
    axes: [axis, { ...axis, size: axisWidth, values: axisTexts, ...stepsOf(lines) }],
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.05 : 1] } },
    series: [
      { value: (_plot, seconds: number | null) => (seconds === null ? 'whole period' : timeText(seconds, isUtc)) },
      ...lines.map(({ name }, index) => {
        const [variable, dash] = strokeOf(index);
        return {
          label: name,
          value: legendText,
          stroke: colour(variable),
          width: 2,
          dash: [...dash],
          points: { show: true, size: 5, fill: colour(variable) },
        };
      }),
    ],
  };
}

/** By default the library writes numbers in the browser's language. While the mouse is elsewhere, the legend has the sums. */
const legendText = (plot: UPlot, value: number, series: number, index: number | null) =>
  numberText(index === null ? sumOf(plot.data[series] ?? []) : value);
const sumOf = (values: ArrayLike<number | null | undefined>) => Array.from(values).reduce<number>((sum, each) => sum + (each ?? 0), 0);

/** A day in UTC, or an hour in the user's time zone. */
function timeText(seconds: number, isUtc: boolean): string {
  const at = new Date(seconds * 1000).toISOString();
  return isUtc ? at.slice(0, 10) : localText(at);
}

const axisTexts = (_plot: UPlot, values: number[]) => values.map(numberText);
/** Room for the longest number, which the library would cut. */
const axisWidth = (_plot: UPlot, texts: string[] | null) => Math.max(60, 20 + 8 * Math.max(...(texts ?? []).map(({ length }) => length)));

/** There is no quarter of a message. */
function stepsOf(lines: readonly Line[]): Pick<UPlot.Axis, 'incrs'> {
  const isWhole = lines.every(({ values }) => values.every(Number.isInteger));
  return isWhole ? { incrs: Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat() } : {};
}

/** The width inside of the padding. */
function widthIn(element: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  return element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
}

/** A canvas takes no `light-dark()`: the browser resolves it on an element. */
function colourOf(element: HTMLElement, variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
