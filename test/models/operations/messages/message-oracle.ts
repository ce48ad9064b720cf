/** What messages of one workspace should come to after each step, in memory: the oracle of message-life.ts. It asks no database. */
import { v7 as uuidv7 } from 'uuid';
import type { Claim } from '../../../../models/operations/handoff/claim-handoffs.js';
import type { ReportStatus } from '../../../../models/rules/messages/status.js';
import { stateAfter } from '../../../support/rows/messages.js';

/** What the oracle remembers of a message; it is gone when it was refused or fenced off. */
export interface Known {
  id: string;
  cost: number;
  status: 'accepting' | 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'read' | 'gone';
  uncertain: boolean;
  claim: Claim | undefined;
  providerId: string;
  /** Reports that cannot be matched yet, that lie in the inbox, and that were applied or ignored. */
  waiting: Set<ReportStatus>;
  inbox: Set<ReportStatus>;
  done: Set<ReportStatus>;
  refunded: boolean;
  /** Nobody waits for its report any more; and its group is closed. */
  unknown: boolean;
  closed: boolean;
}

/** Done to a message, or to its group. */
export const steps = [
  'accept',
  'fence',
  'claim',
  'accepted',
  'rejected',
  'retryable',
  'unknown',
  'sent',
  'delivered',
  'failed',
  'read',
  'apply',
  'cancel',
  'noHandoff',
  'noReport',
] as const;
export type Step = (typeof steps)[number];
export type Outcome = 'accepted' | 'rejected' | 'retryable' | 'unknown';

export class MessageOracle {
  readonly messages: Known[] = [];

  constructor(public balance: number) {}

  add(id: string, cost: number): void {
    this.messages.push({
      id,
      cost,
      status: 'accepting',
      uncertain: false,
      claim: undefined,
      providerId: uuidv7(),
      waiting: new Set(),
      inbox: new Set(),
      done: new Set(),
      refunded: false,
      unknown: false,
      closed: false,
    });
  }

  accept(message: Known): void {
    if (message.status !== 'accepting') return;
    const affordable = this.balance >= message.cost;
    message.status = affordable ? 'queued' : 'gone';
    if (affordable) this.balance -= message.cost;
  }

  claim(message: Known, claim: Claim): void {
    message.claim = claim;
    message.status = 'sending';
    message.uncertain = true; // until the answer is known
  }

  /** The provider has answered with its id: reports that waited for it are in the inbox. */
  match(message: Known): void {
    for (const status of message.waiting) message.inbox.add(status);
    message.waiting.clear();
  }

  answer(message: Known, outcome: Outcome): void {
    if (!isQueued(message)) return;
    if (outcome === 'accepted') message.status = 'sent';
    if (outcome === 'rejected') this.fail(message);
    // Given back only where no other call may have reached the provider.
    if (outcome === 'retryable' && !message.uncertain) message.status = 'queued';
  }

  /** Each statement counts once; before anything was handed over it belongs to nobody. */
  report(message: Known, status: ReportStatus): void {
    if ([message.waiting, message.inbox, message.done].some((set) => set.has(status))) return;
    // A read receipt that proves a delivery too has an event, and so a workflow of its own.
    const isAppliedAtOnce = status === 'read' && message.closed && message.inbox.size === 0 && message.status !== 'sent';
    (message.claim === undefined ? message.waiting : message.inbox).add(status);
    if (isAppliedAtOnce && message.claim !== undefined) this.apply(message);
  }

  apply(message: Known): void {
    if (message.inbox.size > 0 && isQueued(message)) message.status = 'sent';
    message.status = stateAfter(message.inbox, { channel: 'whatsapp', state: message.status });
    for (const status of message.inbox) message.done.add(status);
    message.inbox.clear();
  }

  /** Failed before it was handed off, so it costs nothing. */
  fail(message: Known): void {
    message.status = 'failed';
    message.refunded = true;
    this.balance += message.cost;
  }

  /** After each look at a group of which nothing is open. */
  close(message: Known): void {
    if (message.status !== 'accepting' && !isQueued(message) && (message.status !== 'sent' || message.unknown)) message.closed = true;
  }
}

/** It is queued, and no report in the inbox will prove its hand-off: it may be called, and given up. */
export const isClaimable = (message: Known): boolean => isQueued(message) && !(message.status === 'sending' && message.inbox.size > 0);

const isQueued = ({ status }: Known) => status === 'queued' || status === 'sending';
