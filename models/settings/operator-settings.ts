/** Settings for the endpoints that operators, load balancers and Prometheus use; see docs/operations.md. */
import Joi from 'joi';
import type { CheckedSettings } from './setting-kinds.js';

const usualMetricsPort = 9464;

/** The metrics port of a worker whose API has this metrics port. 0: no metrics. */
export const workerMetricsPort = (apiPort: number): number => (apiPort === 0 ? 0 : apiPort + 1);

export const operatorSettings: Record<string, Joi.Schema> = {
  LOG_LEVEL: Joi.string()
    .valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .default('info')
    .description('least important log line to write'),
  DRAIN_SECONDS: Joi.number()
    .integer()
    .min(0)
    .max(300)
    .default(5)
    .description(
      'seconds that the API continues to serve after SIGTERM while /ready says 503, so that load balancers take it out of service first',
    ),
  METRICS_PORT: Joi.number()
    .integer()
    .min(0)
    .max(65_534)
    .default(usualMetricsPort)
    .description(
      'port of the metrics of the API; a worker has the next one; 0: no metrics. If it is not set and the usual port is taken, there are none',
    ),
  METRICS_HOST: Joi.string().hostname().default('127.0.0.1').description('address on which the metrics are served'),
};

export interface OperatorConfig {
  logLevel: string;
  drainSeconds: number;
  /** `port` 0: none. `isGiven`: the port was set, so something depends on it. */
  metrics: { host: string; port: number; isGiven: boolean };
}

export const operatorConfigOf = (value: CheckedSettings, given: Readonly<Record<string, string>>): OperatorConfig => ({
  logLevel: value.LOG_LEVEL,
  drainSeconds: value.DRAIN_SECONDS,
  metrics: { host: value.METRICS_HOST, port: value.METRICS_PORT, isGiven: given.METRICS_PORT !== undefined },
});
