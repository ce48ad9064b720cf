/** A chart of values over time. The library is loaded when the first chart is drawn. A table beside it has the same values. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type UPlot from 'uplot';
import { theme } from '../state/theme.js';
import { numberText } from './count.js';

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
        { ...optionsFor(element, lines), ...zone },
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

function optionsFor(element: HTMLElement, lines: readonly Line[]): UPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => colourOf(element, name);
  const axis = { stroke: style.color, grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line') } };
  return {
    width: widthIn(element),
    height,
    // A drag would zoom, and a click on the legend hide a line. Neither can be done by keyboard.
    cursor: { bind: { mousedown: () => null, click: () => null } },
    legend: { markers: { dash: (_plot, series) => strokeOf(series - 1)[2] } },
    axes: [axis, { ...axis, size: 60, values: axisTexts }],
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(max * 1.05, 1)] } },
    series: [
      {},
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

/** By default the library writes numbers in the browser's language. */
const legendText = (_plot: UPlot, value: number, _series: number, index: number | null) => (index === null ? '--' : numberText(value));
const axisTexts = (_plot: UPlot, values: number[]) => values.map(numberText);

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
