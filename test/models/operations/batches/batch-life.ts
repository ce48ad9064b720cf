import assert from 'node:assert/strict';
import { acceptBatch } from '../../../../models/operations/batches/accept-batch.js';
import { applyReports } from '../../../../models/operations/reports/apply-reports.js';
import { viewBatch } from '../../../../models/operations/batches/batch-view.js';
import { cancelBatch, cancelPage, pauseBatch, resumeBatch } from '../../../../models/operations/batches/change-batch.js';
import { type Claim, claimHandoffs } from '../../../../models/operations/handoff/claim-handoffs.js';
import { completeBatchIfDone } from '../../../../models/operations/batches/complete-batch.js';
import { fenceBatch } from '../../../../models/operations/batches/fence-batch.js';
import { giveUpOnHandoffs } from '../../../../models/operations/handoff/give-up.js';
import { openPage } from '../../../../models/operations/batches/open-page.js';
import { type HandoffResult, recordHandoffs } from '../../../../models/operations/handoff/record-handoffs.js';
import { recordReports } from '../../../../models/operations/reports/record-reports.js';
import { AppError } from '../../../../models/errors.js';
import type { BuiltBatch } from '../../../support/rows/batches.js';
import { rows, type TestDatabase } from '../../../support/database.js';
import { acceptedAs, balanceOf, ledgerOf, reportOf, sandboxEverywhere } from '../../../support/rows/messages.js';

type Status = 'queued' | 'sending' | 'sent' | 'delivered' | 'failed';
type BatchStatus = 'accepting' | 'sending' | 'paused' | 'cancelled' | 'completed' | 'gone';

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

/** Messages of its pages. */
export const sizes = [3, 2];
const claimMax = 2;
/** Thousandths of a credit that pay for it, and more. */
export const granted = 7_000;

interface Known {
  id: string;
  page: number;
  status: Status;
  /** The last call for it, answered or not. */
  claim?: Claim;
  /** An earlier call may have reached the provider. */
  uncertain?: true;
  reported?: 'delivered' | 'failed';
  isApplied: boolean;
}

/** A batch with the oracle beside it: what every step should come to, and whether it did. */
export class BatchLife {
  status: BatchStatus = 'accepting';
  #balance: number;
  readonly #messages: Known[];

  constructor(
    private readonly test: TestDatabase,
    private readonly workspaceId: string,
    private readonly batch: BuiltBatch,
    balance: number,
  ) {
    this.#balance = balance;
    this.#messages = batch.pages.flatMap(({ ids }, page) => ids.map((id) => ({ id, page, status: 'queued', isApplied: false })));
  }

  statuses = (): string[] => this.#messages.map(({ status }) => status);

  async take(page: number, step: Step): Promise<void> {
    const { db } = this.test;
    const groupId = this.batch.pages[page]?.groupId as string;
    if (this.status === 'gone' || (this.status === 'accepting' && step !== 'accept' && step !== 'fence')) return;
    switch (step) {
      case 'accept':
        return this.#accept((await acceptBatch(db, this.batch.id)).accepted);
      case 'fence':
        assert.equal(await fenceBatch(db, this.batch.id), this.status === 'accepting');
        if (this.status === 'accepting') this.status = 'gone';
        return;
      case 'open':
        await openPage(db, groupId);
        return;
      case 'claim':
        return this.#claim(page, await claimHandoffs(db, groupId, sandboxEverywhere, { limit: claimMax, inBatch: true }));
      case 'accepted':
      case 'rejected':
      case 'retryable':
      case 'unknown':
        return this.#answer(page, step);
      case 'crashed':
        for (const message of this.#of(page)) {
          if (message.claim !== undefined) message.uncertain = true;
          delete message.claim;
        }
        return;
      case 'delivered':
      case 'failed':
        return this.#report(page, step);
      case 'apply':
        return this.#apply(page, groupId);
      case 'pause':
      case 'resume':
        return this.#change(step);
      case 'cancel':
        return this.#cancel();
      case 'cancelHalf': // the process dies after the first of its transactions
        await rows(db, `UPDATE batches SET status = 'cancelled' WHERE id = $1 AND status IN ('sending', 'paused')`, [this.batch.id]);
        if (this.status === 'sending' || this.status === 'paused') this.status = 'cancelled';
        return;
      case 'finishPage':
        return this.#finishPage(page, groupId);
    }
  }

  /** Whatever was done: goes on until nothing is open any more. */
  async finish(): Promise<void> {
    if (this.status === 'accepting') await this.take(0, 'accept');
    await this.take(0, 'resume');
    for (const page of sizes.keys()) {
      for (let left = sizes[page] as number; left > 0; left -= 1)
        for (const step of ['claim', 'accepted'] as const) await this.take(page, step);
      await this.take(page, 'finishPage');
      for (const step of ['delivered', 'apply'] as const) await this.take(page, step);
    }
    if (this.status === 'gone') return;
    await completeBatchIfDone(this.test.db, this.batch.id);
    this.#complete();
    assert.ok(this.status === 'completed' || this.status === 'cancelled', this.status);
    assert.ok(
      this.#messages.every(({ status }) => status === 'delivered' || status === 'failed'),
      'every message has its end',
    );
  }

  #of = (page: number) => this.#messages.filter((message) => message.page === page);

  #accept(accepted: boolean): void {
    if (this.status === 'accepting') {
      const cost = this.#messages.length * 1_000;
      this.status = this.#balance >= cost ? 'sending' : 'gone';
      if (this.status === 'sending') this.#balance -= cost;
    }
    assert.equal(accepted, this.status !== 'gone');
  }

  #claim(page: number, claims: Claim[]): void {
    const open = this.#of(page).filter(isQueued).slice(0, claimMax);
    assert.deepEqual(
      claims.map(({ id }) => id),
      this.status === 'sending' ? open.map(({ id }) => id) : [],
      'nothing is claimed of a batch that is paused or cancelled',
    );
    for (const claim of claims) {
      const message = this.#messages.find(({ id }) => id === claim.id) as Known;
      if (message.claim !== undefined) message.uncertain = true;
      message.claim = claim;
      message.status = 'sending';
    }
  }

  /** The answers to the calls of a page that were not answered. */
  async #answer(page: number, outcome: 'accepted' | 'rejected' | 'retryable' | 'unknown'): Promise<void> {
    const called = this.#of(page).filter(({ claim }) => claim !== undefined);
    const results = called.map(({ id, claim }): HandoffResult => {
      const { attempt } = claim as Claim;
      if (outcome === 'accepted') return acceptedAs({ id, attempt }, `p-${id}`);
      if (outcome === 'rejected')
        return { id, attempt, provider: 'sandbox', outcome, error_code: '30008', error_message: 'Unknown destination' };
      return { id, attempt, provider: 'sandbox', outcome, detail: 'why' };
    });
    await recordHandoffs(this.test.db, results);
    for (const message of called) {
      delete message.claim;
      if (!isQueued(message)) continue;
      if (outcome === 'accepted') message.status = 'sent';
      if (outcome === 'rejected') this.#refund(message);
      if (outcome === 'unknown') message.uncertain = true;
      if (outcome === 'retryable' && message.uncertain === undefined) message.status = 'queued';
    }
  }

  /** About everything of the page that the provider took. */
  async #report(page: number, status: 'delivered' | 'failed'): Promise<void> {
    const taken = this.#of(page).filter((message) => message.status === 'sent' && message.reported === undefined);
    await recordReports(
      this.test.db,
      taken.map(({ id }) => reportOf({ id, provider_message_id: `p-${id}` }, status)),
    );
    for (const message of taken) message.reported = status;
  }

  async #apply(page: number, groupId: string): Promise<void> {
    const { open } = await applyReports(this.test.db, groupId);
    for (const message of this.#of(page))
      if (message.status === 'sent' && message.reported !== undefined) message.status = message.reported;
    assert.equal(open, this.#of(page).filter((message) => isQueued(message) || message.status === 'sent').length);
  }

  async #change(step: 'pause' | 'resume'): Promise<void> {
    this.#complete(); // whoever changes a batch looks first whether it is over
    const to = step === 'pause' ? 'paused' : 'sending';
    const isAllowed = this.status === 'sending' || this.status === 'paused';
    const change = step === 'pause' ? pauseBatch : resumeBatch;
    assert.equal(await succeeds(change(this.test.db, this.workspaceId, this.batch.id)), isAllowed);
    if (isAllowed) this.status = to;
  }

  async #cancel(): Promise<void> {
    this.#complete();
    const isAllowed = this.status !== 'completed';
    assert.equal(await succeeds(cancelBatch(this.test.db, this.workspaceId, this.batch.id)), isAllowed);
    if (!isAllowed) return;
    this.status = 'cancelled';
    for (const message of this.#messages) if (message.status === 'queued') this.#refund(message);
  }

  /** The end of a dispatch: what came back of a cancelled batch is cancelled, too. */
  async #finishPage(page: number, groupId: string): Promise<void> {
    if (this.status !== 'cancelled') return;
    await cancelPage(this.test.db, groupId);
    await giveUpOnHandoffs(this.test.db, groupId);
    for (const message of this.#of(page)) if (isQueued(message)) this.#refund(message);
  }

  #refund(message: Known): void {
    message.status = 'failed';
    this.#balance += 1_000;
  }

  #complete(): void {
    const isOpen = this.status === 'sending' || this.status === 'paused';
    if (isOpen && !this.#messages.some(isQueued)) this.status = 'completed';
  }

  async assertAgreement(): Promise<void> {
    const { db } = this.test;
    assert.equal(await balanceOf(db, this.workspaceId), this.#balance);
    const stored = await rows<{ id: string; status: string; status_detail: string }>(
      db,
      'SELECT id, status, status_detail FROM messages WHERE batch_id = $1 ORDER BY id',
      [this.batch.id],
    );
    if (this.status === 'gone') return assert.deepEqual([stored, await ledgerOf(db, this.workspaceId)], [[], [`grant ${this.#balance}`]]);
    if (this.status === 'accepting') return;
    assert.deepEqual(
      stored.map(({ status, status_detail }) => (status_detail === 'sending' ? 'sending' : status)),
      this.statuses(),
    );
    const { counts, status } = await viewBatch(db, this.workspaceId, this.batch.id);
    this.#complete(); // who looks at it completes it
    assert.equal(status, this.status);
    assert.equal(
      Object.values(counts).reduce((sum, count) => sum + count, 0),
      this.#messages.length,
      'the counts add up',
    );
    const doubled = await rows(db, `SELECT message_id, type FROM events WHERE workspace_id = $1 GROUP BY 1, 2 HAVING count(*) > 1`, [
      this.workspaceId,
    ]);
    assert.deepEqual(doubled, [], 'each event once');
  }
}

const isQueued = ({ status }: Known) => status === 'queued' || status === 'sending';

/** False for a refusal, such as 409; everything else is a fault. */
async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return false;
    throw error;
  }
}
