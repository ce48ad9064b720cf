/** What the API needs to run in the process of the tests. */
import { createAcceptGate } from '../../../api/accept/accept-gate.js';
import { apiPoolSizes } from '../../../api/bulk-thread/create-bulk-thread.js';
import { createCommonDeps } from '../../../api/create-common-deps.js';
import type { Deps } from '../../../api/deps.js';
import { endpoints } from '../../../api/endpoints/index.js';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { createReadTurns } from '../../../api/http/resource-limits.js';
import { runHandler } from '../../../api/http/run-handler.js';
import type { Temporal } from '../../../api/outside/temporal.js';
import type { Database } from '../../../models/db/database.js';
import { UrgentWork } from '../../../models/flow/give-way.js';
import { createLogger } from '../../../models/process/logger.js';
import type { Config } from '../../../models/settings/config.js';

/** The services of handlers. Large requests are handled in this thread. */
export function apiDeps(config: Readonly<Config>, db: Database, temporal: Temporal): Deps {
  const connections = { config, db, logger: createLogger('test', config.logLevel), temporal };
  const deps: Deps = {
    ...createCommonDeps(connections),
    acceptGate: createAcceptGate(connections),
    bulkThread: {
      runHandler: (endpointId, request) => runHandler(endpoints.find(({ id }) => id === endpointId) as Endpoint, request, deps),
    },
    readTurns: createReadTurns(apiPoolSizes(config).own, new UrgentWork()),
  };
  return deps;
}
