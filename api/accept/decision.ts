/** Finds out, in every case, whether the workflow accepted what a request has stored. Messages and batches share this code. */
import { type AppError, internal } from '../../models/errors.js';
import { type Funds, fundsOf } from '../../models/operations/billing/standing.js';
import type { Database } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import { costError } from '../auth/sending-rules.js';
import { retryForever } from './retry-forever.js';

export interface DecisionDeps {
  db: Database;
  logger: Logger;
}

/** A stored row that waits for its decision. */
interface Undecided {
  id: string;
  workspace_id: string;
  cost: number;
}

/** How the rows are decided. */
interface Decider<Row extends Undecided> {
  workflowId: string;
  /** Starts or joins the workflow, and returns its decision. */
  ask(): Promise<Answer>;
  /** Deletes those that are still undecided, and returns their ids. */
  fence(ids: readonly string[]): Promise<readonly string[]>;
  /** Returns the ids of those that are still stored. */
  stored(ids: readonly string[]): Promise<readonly string[]>;
  /** Why the workflow may have refused a row, apart from its cost. */
  otherRefusal?(row: Row): Promise<AppError | null>;
}

/** The decision of a workflow. */
export interface Answer {
  /** The ids that it accepted. */
  accepted: readonly string[];
  /** By id: why it refused a row. It names no reason for what an earlier run of its activity refused. */
  reasons: ReadonlyMap<string, AppError | null>;
}

/** By id: null when the row was accepted, else the error for its request. */
export type Decisions = ReadonlyMap<string, AppError | null>;

/**
 * Asks the workflow for its decision. When it does not answer in time, forces a decision. Each row is decided by itself.
 * @param rows rows of one workflow, stored as `accepting`
 */
export async function decide<Row extends Undecided>(deps: DecisionDeps, rows: readonly Row[], decider: Decider<Row>): Promise<Decisions> {
  let answer: Answer;
  try {
    answer = await decider.ask();
  } catch (err) {
    deps.logger.warn({ err, workflow_id: decider.workflowId }, 'workflow did not answer; fencing undecided rows');
    return fence(deps, rows, decider, err);
  }
  return decisionsFor(deps, rows, decider, { accepted: new Set(answer.accepted), reasons: answer.reasons });
}

/** After this the decision is final: either the rows are deleted, or the workflow was faster. */
async function fence<Row extends Undecided>(
  deps: DecisionDeps,
  rows: readonly Row[],
  decider: Decider<Row>,
  cause: unknown,
): Promise<Decisions> {
  const ids = rows.map(({ id }) => id);
  const fenced = new Set<string>();
  // The workflow may hold the rows' locks, or the database may be unreachable. The rows may still be charged until this succeeds.
  const stored = await retryForever(deps.logger, async () => {
    for (const id of await decider.fence(ids)) fenced.add(id);
    return decider.stored(ids);
  });
  const others = rows.filter(({ id }) => !fenced.has(id));
  const decisions = await decisionsFor(deps, others, decider, { accepted: new Set(stored), cause });
  return new Map([...decisions, ...[...fenced].map((id) => [id, internal(cause, 1)] as const)]);
}

interface Outcome {
  /** The ids of the accepted rows. */
  accepted: ReadonlySet<string>;
  reasons?: Answer['reasons'];
  /** Why the workflow did not answer. */
  cause?: unknown;
}

/**
 * The decision for each row. Rows that were not accepted are already deleted; their error is the workflow's reason, else a reason that applies now
 * (the balance, the daily limit, or `otherRefusal`), else an internal error: the reason applies no longer, or a request with the same idempotency
 * key has fenced them.
 */
async function decisionsFor<Row extends Undecided>(
  { db }: DecisionDeps,
  rows: readonly Row[],
  { otherRefusal }: Decider<Row>,
  { accepted, reasons = new Map(), cause = new Error('the send was refused or deleted earlier; the reason is unknown') }: Outcome,
): Promise<Decisions> {
  const refused = rows.filter(({ id }) => !accepted.has(id) && !reasons.get(id));
  // Without the funds the reason is unknown. The rows that were accepted stay accepted.
  const funds =
    refused.length === 0 ? new Map<string, Funds>() : await fundsOf(db, workspacesOf(refused)).catch(() => new Map<string, Funds>());
  const decisions = new Map<string, AppError | null>();
  for (const row of rows) {
    const ofRow = funds.get(row.workspace_id);
    const refusal = async () =>
      reasons.get(row.id) ?? (ofRow && costError(row.cost, ofRow)) ?? (await otherRefusal?.(row)) ?? internal(cause, 1);
    decisions.set(row.id, accepted.has(row.id) ? null : await refusal());
  }
  return decisions;
}

const workspacesOf = (rows: readonly Undecided[]) => [...new Set(rows.map(({ workspace_id }) => workspace_id))];
