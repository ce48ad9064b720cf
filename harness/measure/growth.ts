/** Memory and disk of a service during a long run: one line per tenth, and whether they grow. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, select } from '../../models/db/database.js';
import { atMost, changeOf, type Line } from './figures.js';
import { usageOf } from './process-usage.js';
import { eachPart, type PartName, partNames } from '../stage/service.js';
import { servicePids, type Workbench } from '../stage/workbench.js';

/** One stored measurement. */
export interface Size {
  /** Messages done so far. */
  messages: number;
  /** Seconds of sending so far. */
  seconds: number;
  events_received: number;
  rss_mb: Record<PartName, number>;
  /** The size of our tables and indexes. */
  database_mb: number;
  /** The size of the files of the Temporal server. */
  temporal_files_mb: number;
}

export const tenths = 10;
/** From this tenth on, the service is warmed up. */
const warmTenth = 2;
const growthMax = 1.1;
/** The targets for the memory at the end. */
const rssMbMax = { API: 180, worker: 450 };

/** Measures the current sizes. */
export async function sizeNow(bench: Workbench, db: Database, messages: number, seconds: number): Promise<Size> {
  const usage = usageOf(servicePids(bench));
  const [row] = await select<{ bytes: number }>(db, 'SELECT pg_database_size(current_database()) AS bytes');
  return {
    messages,
    seconds,
    events_received: bench.receiver.counts.received,
    rss_mb: eachPart((part) => usage[part].rssMb),
    database_mb: (row?.bytes ?? 0) / 1024 ** 2,
    temporal_files_mb: bytesIn(join(bench.folder, 'temporal')) / 1024 ** 2,
  };
}

const bytesIn = (folder: string) => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

const columns: [title: string, of: (size: Size, before: Size) => number][] = [
  ['messages', ({ messages }) => messages],
  ['after s', ({ seconds }) => seconds],
  ['messages/s', (size, before) => (size === before ? 0 : (size.messages - before.messages) / (size.seconds - before.seconds))],
  ['events received', ({ events_received }) => events_received],
  ...partNames.map((part): [string, (size: Size) => number] => [`${part} MB`, ({ rss_mb }) => rss_mb[part]]),
  ['database MB', ({ database_mb }) => database_mb],
  ['Temporal files MB', ({ temporal_files_mb }) => temporal_files_mb],
];
const width = (title: string) => Math.max(8, title.length);

/** The header of the table, printed before its first line. */
export const sizeHead = columns.map(([title]) => title.padStart(width(title))).join('   ');

/** The line of the latest measurement. */
export function sizeLine(sizes: readonly Size[]): string {
  const [size, before] = [sizes.at(-1), sizes.at(-2) ?? sizes.at(-1)];
  if (size === undefined || before === undefined) return '';
  return columns.map(([title, of]) => of(size, before).toFixed(0).padStart(width(title))).join('   ');
}

/** The whole table. */
export const sizeTable = (sizes: readonly Size[]) => [sizeHead, ...sizes.map((_, index) => sizeLine(sizes.slice(0, index + 1)))];

/** Whether the memory of API and worker grows after the warm-up, and the disk usage per message. */
export function growthLines(sizes: readonly Size[]): Line[] {
  const [first, warm, last] = [sizes[0], sizes[warmTenth], sizes.at(-1)];
  if (first === undefined || warm === undefined || last === undefined) return [];
  const parts = ['API', 'worker'] as const;
  const { database, temporal } = diskKb(first, last);
  return [
    ...parts.map((part) => atMost(`${part}, last tenth / second`, last.rss_mb[part] / warm.rss_mb[part], growthMax)),
    ...parts.map((part) => atMost(`${part} MB`, last.rss_mb[part], rssMbMax[part], 0)),
    `  disk, KB a message: database ${database.toFixed(1)}, Temporal ${temporal.toFixed(1)}`,
  ];
}

/** The changes since an earlier run of the same size. */
export function growthChanges(now: readonly Size[], then: readonly Size[]): string[] {
  const [nowFirst, nowLast, thenFirst, thenLast] = [now[0], now.at(-1), then[0], then.at(-1)];
  if (nowFirst === undefined || nowLast === undefined || thenFirst === undefined || thenLast === undefined) return [];
  const [disk, diskThen] = [diskKb(nowFirst, nowLast), diskKb(thenFirst, thenLast)];
  const memory = partNames.map((part) => `${part} MB ${changeOf(nowLast.rss_mb[part], thenLast.rss_mb[part])}`);
  return [
    `  in the end ${memory.join(', ')}`,
    `  KB a message: database ${changeOf(disk.database, diskThen.database)}, Temporal ${changeOf(disk.temporal, diskThen.temporal)}`,
    `  seconds ${changeOf(nowLast.seconds, thenLast.seconds)}`,
  ];
}

function diskKb(first: Size, last: Size): { database: number; temporal: number } {
  const each = (of: (size: Size) => number) => ((of(last) - of(first)) * 1024) / (last.messages - first.messages);
  return { database: each(({ database_mb }) => database_mb), temporal: each(({ temporal_files_mb }) => temporal_files_mb) };
}
