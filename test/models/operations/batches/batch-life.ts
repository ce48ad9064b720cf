import assert from 'node:assert/strict';
import { cancelBatch, cancelPage, pauseBatch, resumeBatch } from '../../../../models/operations/batches/change-batch.js';
import { type Claim } from '../../../../models/operations/handoff/claim-handoffs.js';
import { completeBatchIfDone } from '../../../../models/operations/batches/complete-batch-if-done.js';
import { fenceBatch } from '../../../../models/operations/batches/fence-batch.js';
import { openPage } from '../../../../models/operations/batches/open-page.js';
import type { HandoffResult } from '../../../../models/operations/handoff/record-handoffs.js';
import { AppError } from '../../../../models/errors.js';
import type { BuiltBatch } from '../../../support/rows/batches.js';
import { rows, type TestDatabase } from '../../../support/database.js';
import { acceptedAs, claimAll, giveUpNow, reportOf, sandboxEverywhere } from '../../../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';
import { acceptBatch } from '../../../support/rows/batches.js';
import { assertAgreement } from './batch-agreement.js';
import { BatchOracle, type Outcome, type Step } from './batch-oracle.js';

/** Messages of its pages. */
export const sizes = [3, 2];
const claimMax = 2;
/** Thousandths of a credit that pay for it, and more. */
export const granted = 7_000;

/** A batch in the database, and the oracle beside it. Each step is done to both, and what the database answers is compared. */
export class BatchLife {
  readonly oracle: BatchOracle;

  constructor(
    private readonly test: TestDatabase,
    private readonly workspaceId: string,
    private readonly batch: BuiltBatch,
    balance: number,
  ) {
    this.oracle = new BatchOracle(batch.pages, balance);
  }

  statuses = (): string[] => this.oracle.messages.map(({ status }) => status);

  async take(page: number, step: Step): Promise<void> {
    const { db } = this.test;
    const { oracle } = this;
    const groupId = this.batch.pages[page]?.groupId as string;
    if (oracle.status === 'gone' || (oracle.status === 'accepting' && step !== 'accept' && step !== 'fence')) return;
    switch (step) {
      case 'accept':
        return this.#accept();
      case 'fence':
        assert.equal(await fenceBatch(db, this.batch.id), oracle.status === 'accepting');
        if (oracle.status === 'accepting') oracle.status = 'gone';
        return;
      case 'open':
        await openPage(db, groupId);
        return;
      case 'claim':
        return this.#claim(page, groupId);
      case 'accepted':
      case 'rejected':
      case 'retryable':
      case 'unknown':
        return this.#answer(page, step);
      case 'crashed':
        return oracle.crash(page);
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
      case 'cancelHalf':
        return this.#cancelHalf();
      case 'finishPage':
        return this.#finishPage(page, groupId);
    }
  }

  /** Whatever was done: goes on until nothing is open any more. */
  async finish(): Promise<void> {
    const { oracle } = this;
    if (oracle.status === 'accepting') await this.take(0, 'accept');
    await this.take(0, 'resume');
    for (const page of sizes.keys()) {
      for (let left = sizes[page] as number; left > 0; left -= 1)
        for (const step of ['claim', 'accepted'] as const) await this.take(page, step);
      await this.take(page, 'finishPage');
      for (const step of ['delivered', 'apply'] as const) await this.take(page, step);
    }
    if (oracle.status === 'gone') return;
    await completeBatchIfDone(this.test.db, this.batch.id);
    oracle.complete();
    assert.ok(oracle.status === 'completed' || oracle.status === 'cancelled', oracle.status);
    assert.ok(
      this.statuses().every((status) => status === 'delivered' || status === 'failed'),
      'every message has its end',
    );
  }

  async #accept(): Promise<void> {
    const { accepted } = await acceptBatch(this.test.db, this.batch.id);
    this.oracle.accept();
    assert.equal(accepted, this.oracle.status !== 'gone');
  }

  async #claim(page: number, groupId: string): Promise<void> {
    const claims = await claimAll(this.test.db, groupId, sandboxEverywhere, { limit: claimMax, inBatch: true });
    const open = this.oracle.status === 'sending' ? this.oracle.queued(page).slice(0, claimMax) : [];
    assert.deepEqual(
      claims.map(({ id }) => id),
      open.map(({ id }) => id),
      'nothing is claimed of a batch that is paused or cancelled',
    );
    this.oracle.claim(claims);
  }

  /** The answers to the calls of a page that were not answered. */
  async #answer(page: number, outcome: Outcome): Promise<void> {
    const results = this.oracle.called(page).map(({ id, claim }): HandoffResult => {
      const { attempt } = claim as Claim;
      if (outcome === 'accepted') return acceptedAs({ id, attempt }, `p-${id}`);
      if (outcome === 'rejected')
        return { id, attempt, provider: 'sandbox', outcome, error_code: '30008', error_message: 'Unknown destination' };
      return { id, attempt, provider: 'sandbox', outcome, detail: 'why' };
    });
    await recordHandoffs(this.test.db, results);
    this.oracle.answer(page, outcome);
  }

  /** About everything of the page that the provider took. */
  async #report(page: number, status: 'delivered' | 'failed'): Promise<void> {
    const reports = this.oracle.unreported(page).map(({ id }) => reportOf({ id, provider_message_id: `p-${id}` }, status));
    await recordReports(this.test.db, reports);
    this.oracle.report(page, status);
  }

  async #apply(page: number, groupId: string): Promise<void> {
    const { open } = await applyReports(this.test.db, groupId);
    this.oracle.apply(page);
    assert.equal(open, this.oracle.openIn(page));
  }

  async #change(step: 'pause' | 'resume'): Promise<void> {
    this.oracle.complete(); // whoever changes a batch looks first whether it is over
    const isAllowed = this.oracle.isOpen();
    const change = step === 'pause' ? pauseBatch : resumeBatch;
    assert.equal(await succeeds(change(this.test.db, this.workspaceId, this.batch.id)), isAllowed);
    if (isAllowed) this.oracle.status = step === 'pause' ? 'paused' : 'sending';
  }

  async #cancel(): Promise<void> {
    this.oracle.complete();
    const isAllowed = this.oracle.status !== 'completed';
    assert.equal(await succeeds(cancelBatch(this.test.db, this.workspaceId, this.batch.id)), isAllowed);
    if (isAllowed) this.oracle.cancel();
  }

  /** The process dies after the first of its transactions. */
  async #cancelHalf(): Promise<void> {
    const { id } = this.batch;
    await rows(this.test.db, `UPDATE batches SET status = 'cancelled' WHERE id = $1 AND status IN ('sending', 'paused')`, [id]);
    if (this.oracle.isOpen()) this.oracle.status = 'cancelled';
  }

  /** The end of a dispatch: what came back of a cancelled batch is cancelled, too. */
  async #finishPage(page: number, groupId: string): Promise<void> {
    if (this.oracle.status !== 'cancelled') return;
    await cancelPage(this.test.db, groupId);
    await giveUpNow(this.test.db, groupId);
    this.oracle.giveUp(page);
  }

  assertAgreement = (): Promise<void> => assertAgreement(this.test.db, this.workspaceId, this.batch.id, this.oracle);
}

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
