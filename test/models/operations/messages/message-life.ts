import assert from 'node:assert/strict';
import { acceptMessages } from '../../../../models/operations/messages/accept-messages.js';
import { cancelMessage } from '../../../../models/operations/messages/cancel-message.js';
import { fenceMessages } from '../../../../models/operations/messages/fence-messages.js';
import type { ReportStatus } from '../../../../models/rules/messages/status.js';
import { rows, type TestDatabase } from '../../../support/database.js';
import {
  acceptedAs,
  balanceOf,
  buildGroup,
  claimAll,
  eventsOf,
  giveUpNow,
  reportOf,
  sandboxEverywhere,
} from '../../../support/rows/messages.js';
import { applyReports, giveUpOnReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';
import { isClaimable, type Known, MessageOracle, type Outcome, type Step } from './message-oracle.js';

/** Thousandths of a credit, often too little for all of them. */
export const granted = 4_000;

/** Messages in the database, and the oracle beside them. Each step is done to both, and what the database answers is compared. */
export class MessageLife {
  readonly oracle = new MessageOracle(granted);

  constructor(
    private readonly test: TestDatabase,
    private readonly workspaceId: string,
  ) {}

  async begin(prices: number[]): Promise<void> {
    for (const cost of prices) {
      const { ids } = await buildGroup(this.test.db, this.workspaceId, [{ channel: 'whatsapp', cost }]);
      this.oracle.add(ids[0] as string, cost);
    }
  }

  async take(slot: number, step: Step): Promise<void> {
    const message = this.oracle.messages[slot] as Known;
    const [row] = await rows<{ group_id: string }>(this.test.db, 'SELECT group_id FROM messages WHERE id = $1', [message.id]);
    assert.equal(row === undefined, message.status === 'gone');
    if (row !== undefined) await this.#step(message, row.group_id, step);
  }

  async #step(message: Known, groupId: string, step: Step): Promise<void> {
    const { db } = this.test;
    switch (step) {
      case 'accept':
        return this.#accept(message, groupId);
      case 'fence':
        return this.#fence(message);
      case 'claim':
        return this.#claim(message, groupId);
      case 'accepted':
      case 'rejected':
      case 'retryable':
      case 'unknown':
        return this.#answer(message, step);
      case 'sent':
      case 'delivered':
      case 'failed':
      case 'read':
        return this.#report(message, step);
      case 'apply':
        await applyReports(db, groupId);
        this.oracle.apply(message);
        return this.oracle.close(message);
      case 'cancel':
        return this.#cancel(message);
      case 'noHandoff':
        await giveUpNow(db, groupId);
        if (isClaimable(message)) this.oracle.fail(message);
        return this.oracle.close(message);
      case 'noReport':
        await giveUpOnReports(db, groupId);
        if (message.status === 'sent' && message.inbox.size === 0) message.unknown = true;
        return this.oracle.close(message);
    }
  }

  async #accept(message: Known, groupId: string): Promise<void> {
    const { accepted } = await acceptMessages(this.test.db, groupId);
    this.oracle.accept(message);
    assert.deepEqual(accepted, message.status === 'gone' ? [] : [message.id]);
  }

  async #fence(message: Known): Promise<void> {
    const fenced = (await fenceMessages(this.test.db, [message.id])).length === 1;
    assert.equal(fenced, message.status === 'accepting');
    if (fenced) message.status = 'gone';
  }

  async #claim(message: Known, groupId: string): Promise<void> {
    const claims = await claimAll(this.test.db, groupId, sandboxEverywhere);
    assert.equal(claims.length, isClaimable(message) ? 1 : 0);
    const [claim] = claims;
    if (claim === undefined) return;
    assert.equal(claim.uncertain, message.uncertain);
    this.oracle.claim(message, claim);
  }

  /** The answer to the last call, as far as there was one. */
  async #answer(message: Known, outcome: Outcome): Promise<void> {
    const { claim } = message;
    if (claim === undefined) return;
    const base = { id: message.id, attempt: claim.attempt, provider: 'sandbox' };
    if (outcome === 'accepted') await recordHandoffs(this.test.db, [acceptedAs(claim, message.providerId)]);
    else if (outcome === 'rejected')
      await recordHandoffs(this.test.db, [{ ...base, outcome, error_code: '30008', error_message: 'Unknown destination' }]);
    else await recordHandoffs(this.test.db, [{ ...base, outcome, detail: 'why' }]);
    if (outcome === 'accepted') this.oracle.match(message);
    const [attempts] = await rows<{ uncertain: boolean }>(
      this.test.db,
      `SELECT bool_or(outcome IS NULL OR outcome = 'unknown') AS uncertain FROM send_attempts WHERE message_id = $1`,
      [message.id],
    );
    message.uncertain = attempts?.uncertain ?? false;
    this.oracle.answer(message, outcome);
  }

  async #report(message: Known, status: ReportStatus): Promise<void> {
    await recordReports(this.test.db, [reportOf({ id: message.id, provider_message_id: message.providerId }, status)]);
    // What waits for its message finds it when it comes again, if another report has brought the provider's id meanwhile.
    if (message.waiting.has(status) && (await this.#isKnownToProvider(message))) message.waiting.delete(status);
    this.oracle.report(message, status);
  }

  async #isKnownToProvider({ id }: Known): Promise<boolean> {
    const [row] = await rows<{ known: boolean }>(
      this.test.db,
      'SELECT provider_message_id IS NOT NULL AS known FROM messages WHERE id = $1',
      [id],
    );
    return row?.known ?? false;
  }

  async #cancel(message: Known): Promise<void> {
    const cancelled = await cancelMessage(this.test.db, this.workspaceId, message.id).then(
      ({ message: row }) => row.status === 'failed',
      () => false,
    );
    if (message.status === 'queued') {
      assert.equal(cancelled, true);
      this.oracle.fail(message);
    }
  }

  async assertAgreement(): Promise<void> {
    for (const message of this.oracle.messages.filter(({ status }) => status !== 'gone')) {
      const [row] = await rows<{ status: string; status_detail: string; credits_used: number }>(
        this.test.db,
        'SELECT status, status_detail, credits_used FROM messages WHERE id = $1',
        [message.id],
      );
      assert.equal(row?.status_detail === 'sending' ? 'sending' : row?.status, message.status);
      assert.equal(row?.credits_used, message.refunded || message.status === 'accepting' ? 0 : message.cost);
      const events = await eventsOf(this.test.db, message.id);
      assert.equal(new Set(events).size, events.length, `each event once: ${events}`);
      assert.match(events.join(' '), /^(?:queued(?: sent)?(?: failed)?(?: delivered)?)?$/);
    }
    assert.equal(await balanceOf(this.test.db, this.workspaceId), this.oracle.balance);
  }
}
