/** How a metric is declared: once, with everything that its page in the documentation says. */
import { Counter, Gauge, Histogram, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';

/** The metrics of this thread. */
export const registry = new Registry();

/** Which process has values of it. */
export type From = 'api' | 'worker' | 'both';

/** A metric, as the documentation shows it. */
export interface Declared {
  name: string;
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
  from: From;
  buckets?: readonly number[];
}

/** All metrics that were declared, in the order of the catalogue. */
export const declared: Declared[] = [];

type Options<Label extends string> = { from: From; labels?: readonly Label[] };

/** A number that only grows while its process lives. Its name ends in `_total`. */
export function counter<Label extends string = never>(name: string, help: string, { from, labels = [] }: Options<Label>): Counter<Label> {
  declared.push({ name, kind: 'counter', help, labels, from });
  return new Counter({ name, help, labelNames: [...labels], registers: [registry] });
}

/** A number that goes up and down. @param aggregator how the values of the threads of a process become one */
export function gauge<Label extends string = never>(
  name: string,
  help: string,
  { from, labels = [], aggregator = 'max' }: Options<Label> & { aggregator?: 'sum' | 'max' },
): Gauge<Label> {
  declared.push({ name, kind: 'gauge', help, labels, from });
  return new Gauge({ name, help, labelNames: [...labels], registers: [registry], aggregator });
}

/** How a quantity is spread over buckets. */
export function histogram<Label extends string = never>(
  name: string,
  help: string,
  { from, labels = [], buckets }: Options<Label> & { buckets: readonly number[] },
): Histogram<Label> {
  declared.push({ name, kind: 'histogram', help, labels, from, buckets });
  return new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] });
}

/** A metric with its values, as threads tell it to each other. */
export type MetricObject = MetricObjectWithValues<MetricValue<string>>;
