/** What a batch should come to after each step, in memory: the oracle of batch-life.ts. It asks no database. */
import type { Claim } from '../../../../models/operations/handoff/claim-handoffs.js';
import type { BuiltBatch } from '../../../support/rows/batches.js';

/** Done to the batch, or to one of its pages; `crashed`: the process died after its claim, so no answer is ever recorded. */
export const steps = [
  'accept',
  'fence',
  'open',
  'claim',
  'accepted',
  'rejected',
  'retryable',
  'unknown',
  'crashed',
  'delivered',
  'failed',
  'apply',
  'pause',
  'resume',
  'cancel',
  'cancelHalf',
  'finishPage',
] as const;
export type Step = (typeof steps)[number];

type Status = 'queued' | 'sending' | 'sent' | 'delivered' | 'failed';
type BatchStatus = 'accepting' | 'sending' | 'paused' | 'cancelled' | 'completed' | 'gone';
export type Outcome = 'accepted' | 'rejected' | 'retryable' | 'unknown';

interface Known {
  id: string;
  page: number;
  status: Status;
  /** The last call for it, answered or not. */
  claim?: Claim;
  /** An earlier call may have reached the provider. */
  uncertain?: true;
  reported?: 'delivered' | 'failed';
}

/** Thousandths of a credit for each message. */
const price = 1_000;

export class BatchOracle {
  status: BatchStatus = 'accepting';
  readonly messages: readonly Known[];

  constructor(
    pages: BuiltBatch['pages'],
    public balance: number,
  ) {
    this.messages = pages.flatMap(({ ids }, page) => ids.map((id): Known => ({ id, page, status: 'queued' })));
  }

  /** Those that are not handed off yet, or of which that is not known. */
  queued = (page: number): Known[] => this.#of(page).filter(isQueued);

  /** The messages of a page whose last call was not answered. */
  called = (page: number): Known[] => this.#of(page).filter(({ claim }) => claim !== undefined);

  /** The messages of a page that the provider took, and of which it has said nothing yet. */
  unreported = (page: number): Known[] => this.#of(page).filter(({ status, reported }) => status === 'sent' && reported === undefined);

  /** How many messages of a page have no end yet. */
  openIn = (page: number): number => this.#of(page).filter((message) => isQueued(message) || message.status === 'sent').length;

  /** It can be paused, resumed and cancelled. */
  isOpen = (): boolean => this.status === 'sending' || this.status === 'paused';

  /** It is paid for as a whole, or it is gone. */
  accept(): void {
    if (this.status !== 'accepting') return;
    const cost = this.messages.length * price;
    this.status = this.balance >= cost ? 'sending' : 'gone';
    if (this.status === 'sending') this.balance -= cost;
  }

  claim(claims: readonly Claim[]): void {
    for (const claim of claims) {
      const message = this.messages.find(({ id }) => id === claim.id) as Known;
      if (message.claim !== undefined) message.uncertain = true;
      message.claim = claim;
      message.status = 'sending';
    }
  }

  /** The process died: the calls of a page are never answered. */
  crash(page: number): void {
    for (const message of this.called(page)) {
      message.uncertain = true;
      delete message.claim;
    }
  }

  /** The open calls of a page are answered. */
  answer(page: number, outcome: Outcome): void {
    for (const message of this.called(page)) {
      delete message.claim;
      if (!isQueued(message)) continue;
      if (outcome === 'accepted') message.status = 'sent';
      if (outcome === 'rejected') this.#refund(message);
      if (outcome === 'unknown') message.uncertain = true;
      if (outcome === 'retryable' && message.uncertain === undefined) message.status = 'queued';
    }
  }

  report(page: number, status: 'delivered' | 'failed'): void {
    for (const message of this.unreported(page)) message.reported = status;
  }

  apply(page: number): void {
    for (const message of this.#of(page))
      if (message.status === 'sent' && message.reported !== undefined) message.status = message.reported;
  }

  /** What is under way goes on; the rest is given back. */
  cancel(): void {
    this.status = 'cancelled';
    for (const message of this.messages) if (message.status === 'queued') this.#refund(message);
  }

  /** What came back to a page of a cancelled batch is given back, too. */
  giveUp(page: number): void {
    for (const message of this.queued(page)) this.#refund(message);
  }

  /** Whoever looks at a batch completes it if nothing is queued any more. */
  complete(): void {
    if (this.isOpen() && !this.messages.some(isQueued)) this.status = 'completed';
  }

  #of = (page: number) => this.messages.filter((message) => message.page === page);

  #refund(message: Known): void {
    message.status = 'failed';
    this.balance += price;
  }
}

const isQueued = ({ status }: Known) => status === 'queued' || status === 'sending';
