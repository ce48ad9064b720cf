import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client';
import { installationOf, isForeign, refusalOfNamespace } from '../../models/startup/installation.js';
import type { Config } from '../../models/settings/config.js';
import { connect, type Database } from '../../models/db/database.js';
import {
  beginRecovery,
  correctedStop,
  findRecovery,
  finishRecovery,
  hasRecoveries,
  newestMessageAt,
  type Recovery,
} from '../../models/operations/recovery/begin-recovery.js';
import { grpcStatus } from '../../models/network/grpc-status.js';
import { queues, workflowIds, workflowTypes } from '../../workflows/contract.js';
import { endWorkflows, openWorkflows } from './end-workflows.js';
import { stillRunning } from './still-running.js';
import { recoverDatabase, type RecoveryFindings } from './recover-database.js';

export interface RecoveryRequest {
  /** The moment to which the database was restored. */
  asOf: Date;
  /** The time by which the last worker had stopped; null means now. */
  stoppedAt: Date | null;
  /** How long uncertain messages wait for a delivery report, counted from now. */
  waitSeconds: number;
  dryRun: boolean;
  /** Continues even if processes seem to be running, or the database does not seem to match `asOf`. */
  force: boolean;
}

export interface Recovered {
  recovery: Recovery;
  /** Reasons not to recover; empty without `force` and `dryRun`. */
  doubts: string[];
  /** How many open workflows were terminated, or would be in a dry run. */
  workflows: number;
  found: RecoveryFindings;
}

/** Tolerance for different clocks, and for restores that go slightly beyond their target time. */
const laterMsMax = 60_000;

/**
 * Makes Temporal consistent with a restored database, see docs/recovery.md. Can be repeated safely, also after a crash.
 * @throws Error with the steps that must be done first
 */
export async function runRecovery(config: Config, request: RecoveryRequest): Promise<Recovered> {
  const db = connect(config.databaseUrl, 2);
  const connection = await Connection.connect(config.temporalServer).catch((error: Error) => {
    throw new Error(
      `Temporal does not answer at ${config.temporalServer.address} (${error.message}). If its data is lost, start an empty server first`,
    );
  });
  try {
    await requireNamespace(connection, config);
    const client = new Client({ connection, namespace: config.temporalNamespace });
    await requireOwnNamespace(client, db);
    const doubts = await doubtsAbout(db, client, request);
    if (doubts.length > 0 && !request.force && !request.dryRun) throw new Error(`${doubts.join('\n')}\nUse --force to recover anyway.`);
    return { doubts, ...(await recover(db, client, config, request)) };
  } finally {
    await Promise.allSettled([connection.close(), db.close()]);
  }
}

/** @throws Error when the server has no such namespace, as after the loss of its data */
async function requireNamespace({ workflowService }: Connection, { temporalNamespace: namespace, temporalServer }: Config): Promise<void> {
  await workflowService.describeNamespace({ namespace }).catch((error: { code?: number }) => {
    if (error.code !== grpcStatus.notFound) throw error;
    throw new Error(`Temporal at ${temporalServer.address} has no namespace "${namespace}": create it first (docs/recovery.md)`);
  });
}

/** Its open workflows are terminated. @throws Error when the namespace belongs to another installation */
async function requireOwnNamespace({ schedule, options: { namespace } }: Client, db: Database): Promise<void> {
  const present = await schedule
    .getHandle(workflowIds.watcher)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof ScheduleNotFoundError) return undefined;
      throw error;
    });
  if (isForeign(present?.action.memo, await installationOf(db))) throw new Error(refusalOfNamespace(namespace));
}

/** @throws Error when the schema has no table for recoveries */
async function doubtsAbout(db: Database, { connection, options: { namespace } }: Client, { asOf }: RecoveryRequest): Promise<string[]> {
  const running = await stillRunning(db, connection as Connection, namespace);
  if (!(await hasRecoveries(db))) throw new Error('The database schema is outdated: run the migration first');
  const doubts =
    running.length === 0
      ? []
      : [
          `Stop every API and worker first (a worker that was stopped is listed for 70 s):\n${running.map((line) => `  - ${line}`).join('\n')}`,
        ];
  const newest = await newestMessageAt(db);
  const isBegun = (await findRecovery(db, asOf)) !== undefined;
  if (!isBegun && newest !== null && newest.getTime() > asOf.getTime() + laterMsMax) {
    doubts.push(`The database has messages of ${newest.toISOString()}: it was not restored to ${asOf.toISOString()}.`);
  }
  return doubts;
}

async function recover(db: Database, client: Client, config: Config, request: RecoveryRequest): Promise<Omit<Recovered, 'doubts'>> {
  const { asOf, stoppedAt, waitSeconds, dryRun } = request;
  if (dryRun) {
    const begun = await findRecovery(db, asOf);
    const recovery = begun === undefined ? notBegun(asOf, stoppedAt) : { ...begun, stopped_at: correctedStop(begun, stoppedAt) };
    return {
      recovery,
      workflows: await openWorkflows(client),
      found: await recoverDatabase({ db, config, recovery, waitSeconds, dryRun }),
    };
  }
  const recovery = await beginRecovery(db, asOf, stoppedAt);
  const workflows = await endWorkflows(client, `PostgreSQL was restored to ${asOf.toISOString()}`);
  const found = await recoverDatabase({ db, config, recovery, waitSeconds, dryRun });
  await client.workflow.start(workflowTypes.askRestored, {
    taskQueue: queues.messages,
    workflowId: workflowIds.recovery(recovery.id),
    args: [{ recoveryId: recovery.id }],
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: 'delivery reports that a restore may have lost',
  });
  await finishRecovery(db, recovery.id);
  return { recovery, workflows, found };
}

/** The recovery of a dry run. Its id is not stored. */
function notBegun(asOf: Date, stoppedAt: Date | null): Recovery {
  const now = new Date();
  return { id: '00000000-0000-0000-0000-000000000000', as_of: asOf, stopped_at: stoppedAt ?? now, began_at: now, marked_at: null };
}
