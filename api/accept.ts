/** Accepts messages: stores them undecided, lets their workflow debit them, and finds out what it decided in every case. */
import { idempotencyMismatch, insufficientCredits, internal } from '../models/errors.js';
import { Message, type MessageRow, type NewMessage } from '../models/message.js';
import { fenceMessages } from '../models/operations/fence-messages.js';
import { insertMessages } from '../models/operations/insert-messages.js';
import { Workspace } from '../models/workspace.js';
import { workflowIds } from '../workflows/contract.js';
import type { Deps } from './deps.js';
import type { Caller } from './endpoint.js';

/** The messages of one request, as one group; the first carries the request's idempotency key and digest. */
export type NewMessages = [NewMessage, ...NewMessage[]];

export interface Accepted {
  rows: MessageRow[];
  /** The request had come before; these are the rows of that time. */
  isReplay: boolean;
}

/** How often a request tries again whose twin was refused between its look-up and its insert. */
const insertAttemptsMax = 3;

/**
 * The outcome of an earlier request with this idempotency key, waited for if it is still open; null when there is none.
 * @throws AppError 422 when that was another request
 */
export async function findAccepted(deps: Deps, caller: Caller, key: string | null, digest: Buffer): Promise<Accepted | null> {
  if (key === null) return null;
  const found = await Message.findOne({ where: { workspace_id: caller.workspaceId, idempotency_key: key } });
  if (found === null) return null;
  if (found.request_digest?.equals(digest) !== true) throw idempotencyMismatch();
  const rows = [found.get() as MessageRow];
  return { rows: found.status === 'accepting' ? await decide(deps, rows) : rows, isReplay: true };
}

/**
 * Accepts the messages of one request, or none of them.
 * @throws AppError 402 when the balance is short, 500 when nobody decided in time: nothing is charged then and nothing stays
 */
export async function acceptMessages(deps: Deps, caller: Caller, messages: NewMessages): Promise<Accepted> {
  const cost = costOf(messages);
  if (caller.balance < cost) throw insufficientCredits(cost, caller.balance);
  const [{ group_id: groupId, idempotency_key: key, request_digest: digest }] = messages;
  for (let attempt = 1; attempt <= insertAttemptsMax; attempt += 1) {
    const rows = await insertMessages(deps.db, { groupId, workflowId: workflowIds.message(groupId), messages });
    if (rows.length > 0) return { rows: await decide(deps, rows), isReplay: false };
    // The key was taken since the look-up: by the same request, whose outcome is ours too, or by another one.
    const first = digest === null ? null : await findAccepted(deps, caller, key, digest);
    if (first !== null) return first;
  }
  throw internal(new Error('the idempotency key is taken again and again'), 1);
}

/** Starts or joins the group's workflow and waits for its decision; when there is none in time, forces one. */
async function decide(deps: Deps, rows: MessageRow[]): Promise<MessageRow[]> {
  const [{ group_id: groupId, workspace_id: workspaceId, channel }] = rows as [MessageRow];
  const workflowId = workflowIds.message(groupId);
  let accepted: Set<string>;
  try {
    accepted = new Set((await deps.temporal.accept({ groupId, workflowId, workspaceId, channel })).accepted);
  } catch (err) {
    deps.logger.warn({ err, workflow_id: workflowId }, 'the workflow did not answer: fencing its messages');
    return fence(deps, rows, err);
  }
  return rows.every(({ id }) => accepted.has(id)) ? rows : refuse(rows);
}

/** After this nobody can decide otherwise: either the messages are gone for good, or their workflow has been faster. */
async function fence(deps: Deps, rows: MessageRow[], cause: unknown): Promise<MessageRow[]> {
  const ids = rows.map(({ id }) => id);
  const fenced = await fenceMessages(deps.db, ids).catch((error: unknown) => {
    throw internal(error, 1); // the watcher will fence them
  });
  if (fenced.length > 0) throw internal(cause, 1);
  const decided = await Message.count({ where: { id: ids } });
  return decided === rows.length ? rows : refuse(rows, cause);
}

/** The rows are gone. Because of the balance, if that is true; else a twin of this request has fenced them. */
async function refuse(rows: MessageRow[], cause: unknown = new Error('the messages were fenced by a twin request')): Promise<never> {
  const cost = costOf(rows);
  const workspace = await Workspace.findByPk(rows[0]?.workspace_id, { attributes: ['balance'] });
  const balance = workspace?.balance ?? 0;
  throw balance < cost ? insufficientCredits(cost, balance) : internal(cause, 1);
}

const costOf = (messages: readonly { cost: number }[]) => messages.reduce((sum, { cost }) => sum + cost, 0);
