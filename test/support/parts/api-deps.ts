/** What the API needs to run in the process of the tests. */
import { apiPoolSizes } from '../../../api/bulk-thread/create-bulk-thread.js';
import { createAcceptGate } from '../../../api/accept/accept-gate.js';
import { runHandler } from '../../../api/http/run-handler.js';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { endpoints } from '../../../api/endpoints/index.js';
import { createPayments } from '../../../api/outside/payments.js';
import { createSns } from '../../../api/outside/sns.js';
import { createReportInbox } from '../../../api/outside/report-inbox.js';
import { createLimiter } from '../../../api/http/rate-limit.js';
import { UrgentWork } from '../../../models/flow/give-way.js';
import { createExportPlaces, createReadTurns } from '../../../api/http/resource-limits.js';
import { StreamHub } from '../../../api/stream/stream-hub.js';
import type { Config } from '../../../models/settings/config.js';
import { createLogger } from '../../../models/process/logger.js';
import { createResolver } from '../../../models/process/name-resolver.js';
import type { Deps } from '../../../api/deps.js';
import type { Temporal } from '../../../api/outside/temporal.js';
import type { Database } from '../../../models/db/database.js';

/** The services of handlers. Large requests are handled in this thread. */
export function apiDeps(config: Readonly<Config>, db: Database, temporal: Temporal): Deps {
  const logger = createLogger('test', config.logLevel);
  const deps: Deps = {
    config,
    db,
    logger,
    temporal,
    acceptGate: createAcceptGate({ config, db, logger, temporal }),
    reportInbox: createReportInbox({ db, config, logger, temporal }),
    bulkThread: {
      runHandler: (endpointId, request) => runHandler(endpoints.find(({ id }) => id === endpointId) as Endpoint, request, deps),
    },
    limiter: createLimiter(config, logger),
    readTurns: createReadTurns(apiPoolSizes(config).own, new UrgentWork()),
    exportPlaces: createExportPlaces(),
    payments: createPayments(config, logger),
    resolve: createResolver({ servers: config.webhookDnsServers }),
    sns: createSns(),
    streams: new StreamHub(db, logger, config),
    startedAt: Date.now(),
    isDraining: false,
  };
  return deps;
}
