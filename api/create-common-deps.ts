import { createResolver } from '../models/network/name-resolver.js';
import type { Deps } from './deps.js';
import { createLimiter } from './http/rate-limit.js';
import { createExportPlaces } from './http/resource-limits.js';
import { createPayments } from './outside/payments.js';
import { createReportInbox } from './outside/report-inbox.js';
import { createSns } from './outside/sns.js';
import { StreamHub } from './stream/stream-hub.js';

type Connections = Pick<Deps, 'config' | 'db' | 'logger' | 'temporal'>;

/** Creates the services of handlers that are the same for every process of the API, whether it has a bulk thread or not. */
export function createCommonDeps(connections: Connections): Omit<Deps, 'acceptGate' | 'bulkThread' | 'readTurns'> {
  const { config, db, logger } = connections;
  return {
    ...connections,
    reportInbox: createReportInbox(connections),
    limiter: createLimiter(config, logger),
    exportPlaces: createExportPlaces(),
    payments: createPayments(config, logger),
    resolve: createResolver({ servers: config.webhookDnsServers }),
    sns: createSns(),
    streams: new StreamHub(db, logger, config),
    startedAt: performance.now(),
    isDraining: false,
  };
}
