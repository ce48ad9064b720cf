/** The accept gate: sends that come one by one have a workflow each; sends that come together share one. */
import { v7 as uuidv7 } from 'uuid';
import { Admission } from '../../models/flow/admission.js';
import { type Channel, channels } from '../../models/channels.js';
import { AppError, busy } from '../../models/errors.js';
import { Gather, WaitedTooLong } from '../../models/flow/gather.js';
import { noteGroup, observeAccept } from '../../models/metrics/observe.js';
import type { MessageRow, NewMessage } from '../../models/tables/message.js';
import { insertMessages } from '../../models/operations/messages/insert-messages.js';
import type { FallbackStep } from '../../models/rules/messages/fallback.js';
import { workflowIds } from '../../workflows/contract.js';
import type { Config } from '../../models/settings/config.js';
import { type DecisionDeps, decide } from './decision.js';

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
   * @param webhooks how many its workspace has: where there are many, strangers would wait for their deliveries
   * @returns null when its idempotency key is taken: nothing was stored
   * @throws AppError the refusal; nothing of the message is left then
   */
  accept(message: NewMessage, fallback?: readonly FallbackStep[], webhooks?: number): Promise<MessageRow | null>;
}

/** A message, and what is sent when it does not arrive. */
interface Send {
  message: NewMessage;
  fallback: readonly FallbackStep[];
}

type Outcome = MessageRow | AppError | null;

/** What a send may take; above that the service has more to do than it can, and sheds what comes. */
const goodTimeMs = 1_200;
/** A send that has waited so long for its turn all the same is answered 503: its client is better served by trying again. */
const patienceMs = 5_000;
/** An accept that takes so long is stuck: others do not wait for it. */
const lateMs = 2_000;
/** So long a full round of a group takes, where it takes long. */
const groupMsMin = 750;
/**
 * Messages with a workflow of their own that are accepted side by side, unless the setting says more. More only wait inside the servers,
 * and longer than they may: on two cores 10 at once are 30 a second, 50 at once are 17, and some of them not decided in time.
 */
const lanesOfSingles = 10;
/**
 * A message of a workspace with many webhooks costs as much as several others: each of its events is a delivery to each webhook. Such
 * workspaces have one small group under way at a time, so that what they send together leaves most of the database to everybody else.
 */
const apartShare = 4;
/** So long a full round of them takes there. */
const singlesMsMin = 300;

/**
 * Groups are of one channel, whose time-outs they share; workspaces take turns in them, but for those with many webhooks, whose groups
 * are theirs alone. A scheduled message goes alone: others are not
 * to wait for it; so does one with a fallback, which has a clock of its own.
 */
export function createAcceptGate(deps: DecisionDeps & { config: Readonly<Config> }, waitMsMax = patienceMs): AcceptGate {
  const { acceptGroupMax: most, acceptLanes, sharedGroupWebhooks } = deps.config;
  const singleLanes = Math.max(acceptLanes, lanesOfSingles);
  const admission = new Admission(
    most === 1
      ? { capacity: singleLanes, msMax: goodTimeMs, roundMsMin: singlesMsMin }
      : { capacity: most * acceptLanes, msMax: goodTimeMs, roundMsMin: groupMsMin },
  );
  const gather = (size: number, lanes: number, isApart = false) =>
    new Gather<Send, Outcome>((sends) => admission.round(() => acceptTogether(deps, sends)), {
      most: size,
      lanes,
      isApart,
      shareOf: ({ message }) => message.workspace_id,
      waitMsMax,
      lateMs,
    });
  const alone = gather(1, singleLanes);
  const ofEach = (make: () => typeof alone) =>
    Object.fromEntries(channels.map((channel) => [channel, make()])) as Record<Channel, typeof alone>;
  const together = ofEach(() => gather(most, acceptLanes));
  const apart = ofEach(() => gather(Math.max(1, Math.floor(most / apartShare)), 1, true));

  return {
    enter: (key) => admission.enter(key),
    isFullFor: (key) => admission.isFullFor(key),
    async accept(message, fallback = [], webhooks = 0) {
      const goesAlone = most === 1 || message.status_detail === 'scheduled' || fallback.length > 0;
      const groups = webhooks > sharedGroupWebhooks ? apart : together;
      return observeAccept(message.channel, async () => {
        const outcome = await (goesAlone ? alone : groups[message.channel]).add({ message, fallback }).catch(shed);
        if (outcome instanceof AppError) throw outcome;
        return outcome;
      });
    },
  };
}

function shed(error: unknown): never {
  throw error instanceof WaitedTooLong ? busy() : error;
}

/** One group, one workflow; the outcome of each message in the order given. */
async function acceptTogether(deps: DecisionDeps, sends: Send[]): Promise<Outcome[]> {
  const [first] = sends;
  if (first === undefined) return [];
  const { message, fallback } = first; // one with a fallback is alone
  noteGroup(sends.length);
  const groupId = sends.length === 1 ? message.id : uuidv7();
  const members = sends.map((send) => ({ ...send.message, group_id: groupId }));
  const workflowId = workflowIds.group({ id: message.id, group_id: groupId, batch_id: null });
  const rows = await insertMessages(deps.db, { groupId, workflowId, messages: members, fallback });
  const stored = new Map(rows.map((row) => [row.id, row]));
  const [step] = fallback;
  const decisions = await decide(deps, rows, step === undefined ? undefined : step.after * 1000);
  return members.map(({ id }) => decisions.get(id) ?? stored.get(id) ?? null);
}
