import type { Config } from '../models/settings/config.js';
import type { Database } from '../models/db/database.js';
import type { ConcurrencyLimit } from '../models/flow/concurrency-limit.js';
import type { ReaderPlaces } from '../models/flow/reader-places.js';
import type { Logger } from '../models/process/logger.js';
import type { Resolve } from '../models/network/name-resolver.js';
import type { AcceptGate } from './accept/accept-gate.js';
import type { Payments } from './outside/payments.js';
import type { HandlerRequest } from './http/handler-request.js';
import type { Limiter } from './http/rate-limit.js';
import type { Reply } from './http/reply.js';
import type { ReportInbox } from './outside/report-inbox.js';
import type { Sns } from './outside/sns.js';
import type { StreamHub } from './stream/stream-hub.js';
import type { Temporal } from './outside/temporal.js';

/** The services that handlers use. The entry point, or a test, creates them once. */
export interface Deps {
  /** When this process started, by `performance.now()`. */
  startedAt: number;
  /** This process is to get no more requests, and answers those that come. */
  isDraining: boolean;
  config: Readonly<Config>;
  db: Database;
  logger: Logger;
  temporal: Temporal;
  acceptGate: AcceptGate;
  reportInbox: ReportInbox;
  bulkThread: BulkHandlers;
  limiter: Limiter;
  /** Runs a costly read when it is the turn of its workspace, see `createReadTurns`. The read must hold one connection at a time. */
  readTurns: ConcurrencyLimit;
  /** Where exports are read, see `createExportPlaces`. */
  exportPlaces: ReaderPlaces;
  payments: Payments;
  /** Resolves the host names of webhook URLs. */
  resolve: Resolve;
  sns: Sns;
  streams: StreamHub;
}

export interface BulkHandlers {
  /** Runs the handler of a bulk endpoint in the bulk thread, see `http/run-handler.ts`. */
  runHandler(endpointId: string, request: HandlerRequest): Promise<Reply>;
}

/** The services that handlers in the bulk thread use. */
export type BulkDeps = Pick<Deps, 'config' | 'db' | 'logger'> & { temporal: Pick<Temporal, 'acceptBatch'> };
