/** Determines whether stored messages were accepted or refused, also when their workflow does not answer. */
import { type AppError, internal } from '../../models/errors.js';
import { Message, type MessageRow } from '../../models/tables/message.js';
import { fenceMessages } from '../../models/operations/messages/fence-messages.js';
import { type Funds, fundsOf } from '../../models/operations/billing/standing.js';
import { workflowIds } from '../../workflows/contract.js';
import type { Database } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import type { Temporal } from '../outside/temporal.js';
import { costError } from '../auth/sending-rules.js';
import { retryForever } from './retry-forever.js';

export interface DecisionDeps {
  db: Database;
  temporal: Temporal;
  logger: Logger;
}

/** By message id: null when the message was accepted, else the error for its request. */
export type Decisions = ReadonlyMap<string, AppError | null>;

/**
 * Starts the workflow of a group, or joins it if it runs already, and waits for its decision on each message. If the workflow does not
 * answer in time, the messages that it has not accepted are deleted.
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
    deps.logger.warn({ err, workflow_id: workflowId }, 'the workflow did not answer; deleting the messages that it has not accepted');
    return fence(deps, rows, err);
  }
  return refuse(deps.db, rows, accepted);
}

/** Deletes the messages that their workflow has not accepted. Afterwards the outcome of each message is final. */
async function fence({ db, logger }: Pick<DecisionDeps, 'db' | 'logger'>, rows: readonly MessageRow[], cause: unknown): Promise<Decisions> {
  const ids = rows.map(({ id }) => id);
  const fenced = new Set<string>();
  // The workflow may hold a lock on the rows, or the database may be down. So this waits until the database has answered.
  const stored = await retryForever(logger, async () => {
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

/** Finds the error for each message that was not accepted: the balance or the daily limit. If neither applies, a request with the same key deleted it. */
async function refuse(
  db: Database,
  rows: readonly MessageRow[],
  accepted: ReadonlySet<string>,
  cause: unknown = new Error('a request with the same idempotency key deleted the message'),
): Promise<Decisions> {
  const refused = rows.filter(({ id }) => !accepted.has(id));
  // If the balance cannot be read, refused messages get a 500. The accepted messages of the group stay accepted.
  const funds =
    refused.length === 0 ? new Map<string, Funds>() : await fundsOf(db, workspacesOf(refused)).catch(() => new Map<string, Funds>());
  return new Map(
    rows.map(({ id, workspace_id, cost }) => (accepted.has(id) ? [id, null] : [id, refusalOf(cost, funds.get(workspace_id), cause)])),
  );
}

const workspacesOf = (rows: readonly MessageRow[]) => [...new Set(rows.map(({ workspace_id }) => workspace_id))];

/** The error for a message that was not accepted: 402 when the workspace cannot pay it, else 500. */
const refusalOf = (cost: number, funds: Funds | undefined, cause: unknown): AppError =>
  (funds === undefined ? null : costError(cost, funds)) ?? internal(cause, 1);
