import type { Declared } from '../../models/metrics/declare.js';
import { unitOf } from '../../models/metrics/document.js';
import { type Board, type Panel, quantile, rate, type Unit } from './board.js';

/** The board of the metrics that no other board reads: a new metric is on it as soon as it is declared. */
export function othersBoard(metrics: readonly Declared[], boards: readonly Board[]): Board {
  const read = boards.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(([expr]) => expr))).join(' ');
  const isRead = ({ name }: Declared) => new RegExp(`\\b${name}(_bucket|_count|_sum)?\\b`).test(read);
  return { name: 'others', title: 'other metrics', panels: metrics.filter((metric) => !isRead(metric)).map(panelOf) };
}

const units: Readonly<Record<string, Unit>> = { seconds: 's', 'seconds since 1970': 's', bytes: 'bytes' };

function panelOf(metric: Declared): Panel {
  const { name, kind, help, labels } = metric;
  const unit = units[unitOf(metric)] ?? 'short';
  const legend = (names: readonly string[]) => names.map((label) => `{{${label}}}`).join(' ');
  if (kind === 'counter') return { title: name, about: `${help}.`, unit: 'ops', queries: [[rate(name, labels), legend(labels)]] };
  if (kind === 'histogram') {
    const quantiles = [0.5, 0.95].map((share) => [quantile(share, name, labels), `p${share * 100} ${legend(labels)}`.trim()] as const);
    return { title: name, about: `${help}.`, unit, queries: quantiles };
  }
  const shown = legend(['instance', ...labels]);
  if (name.endsWith('_timestamp_seconds')) {
    const about = `${help}. The curve shows how far that is from now`;
    if (!name.includes('_expiry_')) return { title: name, about: `${about}.`, unit, queries: [[`time() - ${name}`, shown]] };
    return { title: name, about: `${about}; below 0 it is over.`, unit, isSigned: true, queries: [[`${name} - time()`, shown]] };
  }
  return { title: name, about: `${help}.`, unit, queries: [[name, shown]] };
}
