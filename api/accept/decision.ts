/** Finds out what was decided about stored messages, in every case. */
import { type AppError, internal } from '../../models/errors.js';
import { Message, type MessageRow } from '../../models/tables/message.js';
import { fenceMessages } from '../../models/operations/messages/fence-messages.js';
import { type Funds, fundsOf } from '../../models/operations/billing/standing.js';
import { workflowIds } from '../../workflows/contract.js';
import type { Database } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import type { Temporal } from '../outside/temporal.js';
import { refusalOfCost } from '../auth/standing.js';
import { untilKnown } from './until-known.js';

export interface DecisionDeps {
  db: Database;
  temporal: Temporal;
  logger: Logger;
}

/** By message id: null when it was accepted, else the answer that its request gets. */
export type Decisions = ReadonlyMap<string, AppError | null>;

/**
 * Starts or joins the workflow of one group and waits for its decision; when there is none in time, forces one. Each message is
 * decided alone.
 * @param rows messages of one group, stored as `accepting`
 */
export async function decide(deps: DecisionDeps, rows: readonly MessageRow[], fallbackAfterMs?: number): Promise<Decisions> {
  const [first] = rows;
  if (first === undefined) return new Map();
  const { group_id: groupId, channel } = first;
  const workflowId = workflowIds.group(first);
  const messages = rows.map(({ id, workspace_id }) => ({ messageId: id, workspaceId: workspace_id }));
  let accepted: Set<string>;
  try {
    accepted = new Set((await deps.temporal.accept({ groupId, workflowId, channel, messages, fallbackAfterMs })).accepted);
  } catch (err) {
    deps.logger.warn({ err, workflow_id: workflowId }, 'the workflow did not answer: fencing its messages');
    return fence(deps, rows, err);
  }
  return refuse(deps.db, rows, accepted);
}

/** After this nobody can decide otherwise: either the messages are gone for good, or their workflow has been faster. */
async function fence({ db, logger }: Pick<DecisionDeps, 'db' | 'logger'>, rows: readonly MessageRow[], cause: unknown): Promise<Decisions> {
  const ids = rows.map(({ id }) => id);
  const fenced = new Set<string>();
  // The workflow may hold the rows while it waits for something, or the database may be away: it charges them then, or it does not.
  const stored = await untilKnown(logger, async () => {
    for (const id of await fenceMessages(db, ids)) fenced.add(id);
    return Message.findAll({ attributes: ['id'], where: { id: ids } });
  });
  const others = await refuse(
    db,
    rows.filter(({ id }) => !fenced.has(id)),
    new Set(stored.map(({ id }) => id)),
    cause,
  );
  return new Map([...others, ...[...fenced].map((id) => [id, internal(cause, 1)] as const)]);
}

/** The rows that were not accepted are gone. Because of the balance or the limit of the day, if that is true; else a twin of the request has fenced them. */
async function refuse(
  db: Database,
  rows: readonly MessageRow[],
  accepted: ReadonlySet<string>,
  cause: unknown = new Error('the message was fenced by a twin request'),
): Promise<Decisions> {
  const refused = rows.filter(({ id }) => !accepted.has(id));
  // Without the funds nobody knows why; what was accepted beside is accepted all the same.
  const funds =
    refused.length === 0 ? new Map<string, Funds>() : await fundsOf(db, workspacesOf(refused)).catch(() => new Map<string, Funds>());
  return new Map(
    rows.map(({ id, workspace_id, cost }) => (accepted.has(id) ? [id, null] : [id, refusalOf(cost, funds.get(workspace_id), cause)])),
  );
}

const workspacesOf = (rows: readonly MessageRow[]) => [...new Set(rows.map(({ workspace_id }) => workspace_id))];

/** The answer to a message that is gone: 402 when it cannot be paid, else 500 for what fenced it. */
const refusalOf = (cost: number, funds: Funds | undefined, cause: unknown): AppError =>
  (funds === undefined ? null : refusalOfCost(cost, funds)) ?? internal(cause, 1);
