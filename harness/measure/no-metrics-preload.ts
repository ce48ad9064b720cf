/** Preloaded into every process of a service (`--import`): turns off its metrics, to measure what they cost. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const client = require('prom-client') as object & Record<'Counter' | 'Gauge' | 'Histogram', { prototype: object }>;
const nothing = (): void => undefined;
Object.assign(client.Counter.prototype, { inc: nothing });
Object.assign(client.Gauge.prototype, { inc: nothing, dec: nothing, set: nothing });
Object.assign(client.Histogram.prototype, { observe: nothing });
Object.assign(client, { collectDefaultMetrics: nothing });
