import type { Config } from '../models/settings/config.js';
import type { Database } from '../models/db/database.js';
import type { Logger } from '../models/process/logger.js';
import type { Resolve } from '../models/process/name-resolver.js';
import type { AcceptGate } from './accept/accept-gate.js';
import type { BulkThread } from './bulk-thread/create-bulk-thread.js';
import type { Payments } from './outside/payments.js';
import type { Limiter } from './http/rate-limit.js';
import type { ReportInbox } from './outside/report-inbox.js';
import type { Sns } from './outside/sns.js';
import type { Temporal } from './outside/temporal.js';

/** Everything that handlers reach; made once by the entry point, or by a test. */
export interface Deps {
  /** Of this process, in milliseconds since 1970. */
  startedAt: number;
  /** This process is to get no more requests, and answers those that come. */
  isDraining: boolean;
  config: Readonly<Config>;
  db: Database;
  logger: Logger;
  temporal: Temporal;
  acceptGate: AcceptGate;
  reportInbox: ReportInbox;
  bulkThread: Pick<BulkThread, 'answer'>;
  limiter: Limiter;
  payments: Payments;
  /** Addresses of the names of webhooks. */
  resolve: Resolve;
  sns: Sns;
}

/** What handlers of bulk sends reach, in a thread of their own. */
export type BulkDeps = Pick<Deps, 'config' | 'db' | 'logger'> & { temporal: Pick<Temporal, 'acceptBatch'> };
