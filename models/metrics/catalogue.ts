/**
 * Every metric, declared once: name, help, labels, buckets. `npm run generate` writes docs/observability/metrics.md from it, in this order. Names have base units.
 * No label has a value for each workspace, key, webhook, recipient or message: the number of series does not grow with the users.
 */
export { apiMetrics, processMetrics, workMetrics } from './process-metrics.js';
export { clearServiceGauges, type GaugeReading, serviceGauges, showReading } from './database-gauges.js';
export { declared } from './declare.js';
