/** API and worker in the process of the tests. */
import { once } from 'node:events';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { keepPrepared } from '../../../activities/worker/keep-prepared.js';
import type { Providers } from '../../../activities/handoff/providers/provider.js';
import { startWorkers } from '../../../activities/worker/workers.js';
import { apiPoolSizes } from '../../../api/bulk-thread/create-bulk-thread.js';
import { createApp } from '../../../api/app.js';
import { createHttpServer } from '../../../api/http/server/http-server.js';
import { connectTemporal } from '../../../api/outside/temporal.js';
import { connect } from '../../../models/db/database.js';
import { createLogger } from '../../../models/process/logger.js';
import type { Config } from '../../../models/settings/config.js';
import { queues } from '../../../workflows/contract.js';
import { apiDeps } from './api-deps.js';
import type { Child } from './child.js';
import { trustTestAuthority } from '../network/receiver.js';

const refuse = () => {
  throw new Error('what runs in this process cannot be killed or frozen');
};
const withoutSignals = { kill: async () => refuse(), freeze: refuse, unfreeze: refuse };

/** The API, with all its connections in this thread. */
export function apiHere(config: Readonly<Config>): Child {
  let end: (() => Promise<void>) | undefined;
  return {
    ...withoutSignals,
    async start() {
      await trustTestAuthority();
      const deps = apiDeps(config, connect(config.databaseUrl, apiPoolSizes(config).own), connectTemporal(config));
      const server = createHttpServer(createApp(deps), deps).listen(config.port, config.host);
      await once(server, 'listening');
      end = async () => {
        await deps.streams.close();
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
        deps.limiter.close();
        await Promise.all([deps.temporal.close(), deps.db.close()]);
      };
    },
    async stop() {
      await end?.();
      end = undefined;
      return null;
    },
  };
}

let runtimeInstalled = false;

/** The worker, with all its queues in this thread. */
export function workerHere(config: Readonly<Config>, wrapProviders?: (providers: Providers) => Providers): Child {
  let end: (() => Promise<void>) | undefined;
  return {
    ...withoutSignals,
    async start() {
      if (!runtimeInstalled) Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR') });
      runtimeInstalled = true;
      await trustTestAuthority();
      const logger = createLogger('worker', config.logLevel);
      const keeping = await keepPrepared(config, logger);
      const [db, connection] = [connect(config.databaseUrl, config.databasePoolMax), await NativeConnection.connect(config.temporalServer)];
      const taskQueues = Object.values(queues);
      const workers = await startWorkers({ config, db, logger, connection, taskQueues, ...(wrapProviders && { wrapProviders }) });
      end = async () => {
        await keeping.end();
        await workers.stop();
        await Promise.all([connection.close(), db.close()]);
        connection.callContextStorage.disable(); // the SDK leaves it enabled, and each one costs time in every promise of the process
      };
    },
    async stop() {
      await end?.();
      end = undefined;
      return null;
    },
  };
}
