/** A board with the values of a run: what `read-board.ts` reads and `page/draw.ts` draws. It goes into the page as JSON. */
import type { Unit } from '../../../local/boards/board.js';

export interface DrawnBoard {
  title: string;
  /** Under the title: where the picture comes from. */
  note: string;
  /** The length of the run. Each line has a value for each second from 0 to this one. */
  seconds: number;
  /** When alerts fired. */
  alerts: readonly Span[];
  panels: readonly DrawnPanel[];
}

/** In seconds from the beginning of the run. */
export interface Span {
  from: number;
  to: number;
}

export type DrawnPanel = NumberPanel | CurvesPanel | RowsPanel;

interface Placed {
  title: string;
  /** What it shows, and what is normal. Grafana shows it beside the title on demand. */
  about: string;
  unit: Unit;
  /** In columns and rows of Grafana's grid. */
  place: { x: number; y: number; w: number; h: number };
}

export interface NumberPanel extends Placed {
  kind: 'number';
  /** Null where there is none. */
  value: number | null;
  /** The colour of its threshold. */
  colour: string;
}

export interface CurvesPanel extends Placed {
  kind: 'curves';
  lineWidth: number;
  /** In percent. */
  fillOpacity: number;
  lines: readonly { name: string; values: readonly (number | null)[] }[];
}

export interface RowsPanel extends Placed {
  kind: 'rows';
  rows: readonly { name: string; spans: readonly Span[] }[];
}
