/** Values with units, as Grafana writes them. */
import type { Unit } from '../../../local/boards/board.js';

/** From small to large: a factor and what follows the number. */
type Scale = readonly (readonly [factor: number, suffix: string])[];

const counts: Scale = [
  [1, ''],
  [1e3, ' K'],
  [1e6, ' Mil'],
];
const seconds: Scale = [
  [1e-6, ' µs'],
  [1e-3, ' ms'],
  [1, ' s'],
  [60, ' mins'],
  [3_600, ' hours'],
  [86_400, ' days'],
];
const bytes: Scale = [
  [1, ' B'],
  [2 ** 10, ' KiB'],
  [2 ** 20, ' MiB'],
  [2 ** 30, ' GiB'],
];
const perSecond: Partial<Record<Unit, string>> = { reqps: 'req/s', mps: 'msg/s', eps: 'evt/s', ops: 'ops/s' };

/** At most three digits that matter. */
const short = (value: number): string => String(Number(value.toPrecision(3)));

/** The text of a value: `shown(0.25, 's')` is `250 ms`. */
export function shown(value: number, unit: Unit): string {
  if (unit === 's') return scaled(value, seconds);
  if (unit === 'bytes') return scaled(value, bytes);
  if (unit === 'percentunit') return `${short(value * 100)}%`;
  const count = scaled(value, counts);
  return unit === 'short' ? count : `${count} ${perSecond[unit]}`;
}

function scaled(value: number, scale: Scale): string {
  const size = value === 0 ? 1 : Math.abs(value);
  const [factor, suffix] = scale.findLast(([min]) => size >= min) ?? scale[0] ?? [1, ''];
  return `${short(value / factor)}${suffix}`;
}
