/** What a schedule begins with: a few workspaces, groups of messages at every point of their way, and a batch. */
import type { Random } from './random.js';

/**
 * `claimed`: its call is not answered · `proven`: the same, but a report lies in the inbox · `retried`: its call failed for certain ·
 * `reported`: sent, with an unapplied report in the inbox
 */
export type Stage = 'accepting' | 'queued' | 'claimed' | 'proven' | 'retried' | 'sent' | 'reported' | 'delivered' | 'failed';

/** What a provider says to a call; `suppressed`: refused because the recipient is on its list. */
export const outcomes = ['accepted', 'accepted', 'rejected', 'rejected', 'suppressed', 'retryable', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

export interface WorldMessage {
  id: string;
  groupId: string;
  workspaceId: string;
  batchId: string | null;
  stage: Stage;
  to: string;
  /** The id that the provider gives it, whether or not it has answered with it yet. */
  providerId: string;
  /** Number of its last attempt; 0: none. */
  attempt: number;
  /** The answer to that attempt: the same, however often it is recorded. */
  answer: Outcome;
}

export interface World {
  workspaceIds: string[];
  /** Workspaces with webhooks. */
  subscribers: string[];
  /** Groups with a workflow of their own; most mix workspaces. */
  groups: WorldMessage[][];
  /** A batch of the first workspace; its pages are groups too. */
  batch: { id: string; status: 'accepting' | 'sending' | 'paused' | 'cancelled'; pages: WorldMessage[][] } | null;
  /** What each workspace is granted beyond what its messages cost, in thousandths of a credit. */
  spare: number[];
  /** What the limit of the day leaves each workspace, in thousandths of a credit; null: it has none. */
  limits: (number | null)[];
  /** The carrier's reports bear our id. */
  echoes: boolean;
  /** Idempotency keys for new messages. */
  keys: string[];
}

/** Thousandths of a credit for each message. */
export const costOfMessage = 1_000;

const decided: readonly Stage[] = ['queued', 'queued', 'claimed', 'claimed', 'retried', 'sent', 'reported', 'delivered', 'failed'];
/** Only a report that bears our id finds a message whose call is not answered. */
const decidedWithEcho: readonly Stage[] = [...decided, 'proven', 'proven', 'proven'];
const attempts: Readonly<Record<Stage, number>> = {
  accepting: 0,
  queued: 0,
  claimed: 1,
  proven: 1,
  retried: 1,
  sent: 1,
  reported: 1,
  delivered: 1,
  failed: 0,
};

function drawMessage(random: Random, given: Pick<WorldMessage, 'groupId' | 'workspaceId' | 'batchId' | 'stage'>): WorldMessage {
  const to = `+1555${String(random.below(10_000_000)).padStart(7, '0')}`;
  const [id, providerId, answer] = [random.uuid(), random.uuid(), random.pick(outcomes)];
  return { ...given, id, to, providerId, attempt: attempts[given.stage], answer };
}

function drawGroup(random: Random, workspaceIds: readonly string[], stages: readonly Stage[]): WorldMessage[] {
  const size = 1 + random.below(4);
  // A single message has the id of its group.
  const groupId = random.uuid();
  const isUndecided = random.chance(0.4);
  const members = Array.from({ length: size }, () =>
    drawMessage(random, {
      groupId,
      workspaceId: random.pick(workspaceIds),
      batchId: null,
      stage: isUndecided ? 'accepting' : random.pick(stages),
    }),
  );
  return size === 1 ? members.map((each) => ({ ...each, id: groupId })) : members;
}

/** Draws a world: 2 or 3 workspaces, 1 or 2 groups of 1 to 4 messages, and half the time a batch of 1 or 2 pages. */
export function drawWorld(random: Random): World {
  const echoes = random.chance(0.5);
  const stages = echoes ? decidedWithEcho : decided;
  const workspaceIds = Array.from({ length: 2 + random.below(2) }, () => random.uuid());
  const [first = ''] = workspaceIds;
  const drawBatch = (): World['batch'] => {
    const id = random.uuid();
    const status = random.pick(['accepting', 'sending', 'sending', 'paused', 'cancelled'] as const);
    const pages = Array.from({ length: 1 + random.below(2) }, () => {
      const groupId = random.uuid();
      const stage = () => (status === 'accepting' ? 'accepting' : random.pick(stages));
      return Array.from({ length: 1 + random.below(3) }, () =>
        drawMessage(random, { groupId, workspaceId: first, batchId: id, stage: stage() }),
      );
    });
    return { id, status, pages };
  };
  return {
    workspaceIds,
    subscribers: workspaceIds.filter(() => random.chance(0.5)),
    groups: Array.from({ length: 1 + random.below(2) }, () => drawGroup(random, workspaceIds, stages)),
    batch: random.chance(0.5) ? drawBatch() : null,
    spare: workspaceIds.map(() => random.pick([0, 1_000, 2_000, 10_000, 10_000])),
    echoes,
    keys: [random.uuid(), random.uuid()],
    limits: workspaceIds.map(() => random.pick([null, null, 1_000, 3_000])),
  };
}

/** All groups, pages too. */
export const groupsOf = ({ groups, batch }: World): WorldMessage[][] => [...groups, ...(batch?.pages ?? [])];

/** All messages. */
export const messagesOf = (world: World): WorldMessage[] => groupsOf(world).flat();
