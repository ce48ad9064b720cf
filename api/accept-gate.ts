/** The accept gate: sends that come one by one have a workflow each; sends that come together share one. */
import { v7 as uuidv7 } from 'uuid';
import { Admission } from '../models/admission.js';
import { type Channel, channels } from '../models/config.js';
import { AppError, busy } from '../models/errors.js';
import { Gather, WaitedTooLong } from '../models/gather.js';
import type { MessageRow, NewMessage } from '../models/message.js';
import { insertMessages } from '../models/operations/insert-messages.js';
import type { FallbackStep } from '../models/rules/fallback.js';
import { workflowIds } from '../workflows/contract.js';
import { decide } from './decision.js';
import type { Deps } from './deps.js';

export interface AcceptGate {
  /**
   * Lets a send in before anything is asked of the database for it.
   * @param key whose it is: of an overloaded service everybody gets the same share
   * @returns to be called when the send is answered
   * @throws AppError 503 when it could not be accepted in good time
   */
  enter(key: string): () => void;
  /** Whether it would be refused that now. */
  isFullFor(key: string): boolean;
  /**
   * Stores a message, alone or with others, and waits for the decision of its workflow.
   * @returns null when its idempotency key is taken: nothing was stored
   * @throws AppError the refusal; nothing of the message is left then
   */
  accept(message: NewMessage, fallback?: readonly FallbackStep[]): Promise<MessageRow | null>;
}

type Outcome = MessageRow | AppError | null;

/** What a send may take; above that the service has more to do than it can, and sheds what comes. */
const goodTimeMs = 1_200;
/** A send that has waited so long for its turn all the same is answered 503: its client is better served by trying again. */
const patienceMs = 5_000;
/** An accept that takes so long is stuck: others do not wait for it. */
const lateMs = 2_000;
/** Where every message has a workflow of its own, more at once only wait inside the servers. */
const lanesOfSingles = 50;

/**
 * Groups are of one channel, whose time-outs they share; workspaces take turns in them. A scheduled message goes alone: others are not
 * to wait for it; so does one with a fallback, which has a clock of its own.
 */
export function createAcceptGate(deps: Pick<Deps, 'db' | 'temporal' | 'logger' | 'config'>, waitMsMax = patienceMs): AcceptGate {
  const { acceptGroupMax: most, acceptLanes } = deps.config;
  const lanes = most === 1 ? lanesOfSingles : acceptLanes;
  const admission = new Admission({ capacity: most * lanes, msMax: goodTimeMs });
  const acceptGroup = (messages: NewMessage[], fallback?: readonly FallbackStep[]) =>
    admission.round(() => acceptTogether(deps, messages, fallback));
  const shareOf = ({ workspace_id }: NewMessage) => workspace_id;
  const gathers = Object.fromEntries(
    channels.map((channel) => [channel, new Gather(acceptGroup, { most, lanes, shareOf, waitMsMax, lateMs })]),
  ) as Record<Channel, Gather<NewMessage, Outcome>>;

  return {
    enter: (key) => admission.enter(key),
    isFullFor: (key) => admission.isFullFor(key),
    async accept(message, fallback = []) {
      const isAlone = message.status_detail === 'scheduled' || fallback.length > 0;
      const outcome = isAlone ? (await acceptGroup([message], fallback))[0] : await gathers[message.channel].add(message).catch(shed);
      if (outcome instanceof AppError) throw outcome;
      return outcome ?? null;
    },
  };
}

function shed(error: unknown): never {
  throw error instanceof WaitedTooLong ? busy() : error;
}

/** One group, one workflow; the outcome of each message in the order given. */
async function acceptTogether(
  deps: Pick<Deps, 'db' | 'temporal' | 'logger'>,
  messages: NewMessage[],
  fallback: readonly FallbackStep[] = [],
): Promise<Outcome[]> {
  const [first] = messages;
  if (first === undefined) return [];
  const groupId = messages.length === 1 ? first.id : uuidv7();
  const members = messages.map((message) => ({ ...message, group_id: groupId }));
  const workflowId = workflowIds.group({ id: first.id, group_id: groupId, batch_id: null });
  const rows = await insertMessages(deps.db, { groupId, workflowId, messages: members, fallback });
  const stored = new Map(rows.map((row) => [row.id, row]));
  const [step] = fallback;
  const decisions = await decide(deps, rows, step === undefined ? undefined : step.after * 1000);
  return messages.map(({ id }) => decisions.get(id) ?? stored.get(id) ?? null);
}
