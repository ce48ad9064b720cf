/** Formats the results of the shapes. */
import type { DiskWork } from '../../harness/measure/disk-work.js';
import type { Environment } from './results.js';
import { shapeParts, type ShapeResult } from '../cases/shape-pass.js';
import type { Shape } from '../../harness/stage/shape-processes.js';
import { atLeast, atMost, type Line, tableLines } from '../../harness/measure/figures.js';

export interface ShapeFigures {
  shape: Shape;
  /** Concurrent clients. */
  clients: number;
  /** Sends of eight workspaces. */
  spread: ShapeResult;
  /** All sends of one workspace. */
  hot: ShapeResult;
}

export interface ShapeResults {
  at: string;
  environment: Environment;
  messages: number;
  shapes: ShapeFigures[];
  /** The disk writes of each server per message, for each measurement. */
  disk: Record<string, DiskWork>[];
}

/** The maximum relative increase of the cost per message compared with the smallest shape. A decrease is fine: with more clients the groups are larger. */
const flatWithin = 0.1;

interface Column extends Omit<ShapeFigures, 'spread' | 'hot'> {
  workspaces: number;
  result: ShapeResult;
  /** CPU per message relative to the first shape under the same load. */
  toFirst: number;
}

/** A table with one column per shape and kind of load, followed by a summary. */
export function shapeLines({ environment, shapes, disk }: ShapeResults): Line[] {
  const { cores, cpu, memory_mb, load_before, node, postgres, temporal, commit } = environment;
  const columns = columnsOf(shapes);
  return [
    `${cores} cores ${cpu}, ${memory_mb} MB, load ${load_before.toFixed(1)} before the run`,
    `Node ${node}, PostgreSQL ${postgres}, Temporal ${temporal} on PostgreSQL, commit ${commit}`,
    '',
    ...tableLines(rowsOf(columns)),
    '',
    ...diskLines(disk),
    '',
    ...verdicts(columns, shapes),
  ];
}

function columnsOf(shapes: readonly ShapeFigures[]): Column[] {
  const [first] = shapes;
  if (first === undefined) return [];
  return (['spread', 'hot'] as const).flatMap((kind) =>
    shapes.map((figures) => ({
      ...figures,
      workspaces: figures[kind].workspaces,
      result: figures[kind],
      toFirst: cpuOf(figures[kind]) / cpuOf(first[kind]),
    })),
  );
}

function rowsOf(columns: readonly Column[]): string[][] {
  const row = (name: string, of: (result: ShapeResult, column: Column) => string) => [
    name,
    ...columns.map((column) => of(column.result, column)),
  ];
  return [
    row('workers × APIs', (_, { shape }) => `${shape.workers} × ${shape.apis}`),
    row('workspaces', ({ workspaces }) => String(workspaces)),
    row('clients', (_, { clients }) => String(clients)),
    row('messages', ({ messages }) => String(messages)),
    row('messages/s', ({ messages_per_second }) => messages_per_second.toFixed(0)),
    row('accept p50 ms', ({ accept_ms }) => accept_ms.p50.toFixed(0)),
    row('accept p95 ms', ({ accept_ms }) => accept_ms.p95.toFixed(0)),
    ...shapeParts.map((part) => row(`CPU ms/message ${part}`, ({ cpu_ms_per_message }) => cpu_ms_per_message[part].toFixed(1))),
    row('CPU ms/message, all', (result) => cpuOf(result).toFixed(1)),
    row('CPU/message, / 1 × 1', (_, { toFirst }) => toFirst.toFixed(2)),
    row('messages per workflow', ({ messages_per_workflow }) => messages_per_workflow.toFixed(1)),
    row('CPU busy, share', ({ busy_share }) => percent(busy_share)),
    row('CPU of others, share', ({ others_cpu_share }) => percent(others_cpu_share)),
    row('waiting for a lock, on average', ({ lock_waits }) => lock_waits.toFixed(2)),
    row('idlest worker / busiest', ({ worker_evenness }) => percent(worker_evenness)),
    row('idlest API / busiest', ({ api_evenness }) => percent(api_evenness)),
  ];
}

/** The disk writes, averaged over the measurements. */
function diskLines(visits: readonly Record<string, DiskWork>[]): string[] {
  return Object.keys(visits[0] ?? {}).map((name) => {
    const mean = (counter: keyof DiskWork) =>
      (visits.reduce((sum, disk) => sum + (disk[name]?.[counter] ?? 0), 0) / visits.length).toFixed(1);
    return `${name} for a message: ${mean('commits')} transactions, ${mean('walKb')} KB of log, ${mean('sizeKb')} KB larger`;
  });
}

function verdicts(columns: readonly Column[], shapes: readonly ShapeFigures[]): Line[] {
  const costs = columns.map(({ toFirst }) => toFirst);
  const hottest = Math.min(...shapes.map(({ spread, hot }) => hot.messages_per_second / spread.messages_per_second));
  return [
    atMost('CPU per message compared with one worker and one API, maximum', Math.max(...costs), 1 + flatWithin),
    atLeast('one hot workspace, messages/s compared with eight, minimum', hottest, 1 - flatWithin),
  ];
}

const cpuOf = ({ cpu_ms_per_message: cpu }: ShapeResult) => shapeParts.reduce((sum, part) => sum + cpu[part], 0);

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
