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

interface GaugeOptions<Label extends string> extends Options<Label> {
  /** How the values of the threads of a process become one. */
  aggregator?: 'sum' | 'max';
  /** Sets the values before each page. */
  collect?: (gauge: Gauge<Label>) => void;
}

/** A number that goes up and down. It has no value before it is set: a process shows only what it knows. */
export function gauge<Label extends string = never>(
  name: string,
  help: string,
  { from, labels = [], aggregator = 'max', collect }: GaugeOptions<Label>,
): Gauge<Label> {
  declared.push({ name, kind: 'gauge', help, labels, from });
  const collected = collect && { collect: (): void => collect(made) };
  const made: Gauge<Label> = new Gauge({ name, help, labelNames: [...labels], registers: [registry], aggregator, ...collected });
  if (labels.length === 0) made.remove(); // prom-client starts with 0
  return made;
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

/** A metric with its values, as threads report it to each other. */
export type MetricObject = MetricObjectWithValues<MetricValue<string>>;
