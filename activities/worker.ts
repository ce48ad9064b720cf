/** Entry point of the worker process: `node dist/activities/worker.js`. */
import { Connection, ScheduleClient } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { ConfigError, loadConfig } from '../models/config.js';
import { connect, openPool } from '../models/database.js';
import { createLogger } from '../models/logger.js';
import { prepareTemporal } from './prepare-temporal.js';
import { poolSizes, startWorkers } from './workers.js';

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger('worker', config.logLevel);
  Runtime.install({
    shutdownSignals: [], // below
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => logger.warn({ level, ...meta }, message)),
  });
  const { own, bulk } = poolSizes(config);
  const [db, bulkDb] = [connect(config.databaseUrl, own), openPool(config.databaseUrl, bulk)];
  const connection = await NativeConnection.connect({ address: config.temporalAddress });
  const client = await Connection.connect({ address: config.temporalAddress });
  await prepareTemporal(
    client,
    new ScheduleClient({ connection: client, namespace: config.temporalNamespace }),
    config.temporalNamespace,
    logger,
  );
  await client.close();

  const workers = await startWorkers({ config, db, bulkDb, logger, connection });
  const stop = (reason: string) => {
    logger.info({ reason }, 'finishing');
    void workers.stop();
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  process.once('disconnect', () => stop('parent gone'));
  process.send?.({ ready: true });
  logger.info('ready');

  await workers.done;
  await connection.close();
  await Promise.all([db.close(), bulkDb.close()]);
  process.disconnect?.();
}

try {
  await main();
} catch (error) {
  process.stderr.write(
    error instanceof ConfigError ? `${error.message}\n` : `The worker failed: ${error instanceof Error ? error.stack : error}\n`,
  );
  process.exit(1);
}
