import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { acceptMessages } from '../../../../models/operations/messages/accept-messages.js';
import { applyReports } from '../../../../models/operations/reports/apply-reports.js';
import { cancelMessage } from '../../../../models/operations/messages/cancel-message.js';
import { type Claim, claimHandoffs } from '../../../../models/operations/handoff/claim-handoffs.js';
import { fenceMessages } from '../../../../models/operations/messages/fence-messages.js';
import { giveUpOnHandoffs, giveUpOnReports } from '../../../../models/operations/handoff/give-up.js';
import { recordHandoffs } from '../../../../models/operations/handoff/record-handoffs.js';
import { recordReports } from '../../../../models/operations/reports/record-reports.js';
import type { ReportStatus } from '../../../../models/rules/messages/status.js';
import { rows, type TestDatabase } from '../../../support/database.js';
import { acceptedAs, balanceOf, buildGroup, eventsOf, reportOf, sandboxEverywhere, stateAfter } from '../../../support/rows/messages.js';

/** What the oracle remembers of a message; it is gone when it was refused or fenced off. */
interface Known {
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

/** Thousandths of a credit, often too little for all of them. */
export const granted = 4_000;

/** Messages with the oracle beside them: what every step should come to, and whether it did. */
export class MessageLife {
  readonly messages: Known[] = [];
  #balance = granted;

  constructor(
    private readonly test: TestDatabase,
    private readonly workspaceId: string,
  ) {}

  async begin(prices: number[]): Promise<void> {
    for (const cost of prices) {
      const { ids } = await buildGroup(this.test.db, this.workspaceId, [{ channel: 'whatsapp', cost }]);
      const sets = { waiting: new Set<ReportStatus>(), inbox: new Set<ReportStatus>(), done: new Set<ReportStatus>() };
      this.messages.push({
        id: ids[0] as string,
        cost,
        status: 'accepting',
        uncertain: false,
        claim: undefined,
        providerId: uuidv7(),
        ...sets,
        refunded: false,
        unknown: false,
        closed: false,
      });
    }
  }

  async take(slot: number, step: Step): Promise<void> {
    const message = this.messages[slot] as Known;
    const [row] = await rows<{ group_id: string }>(this.test.db, 'SELECT group_id FROM messages WHERE id = $1', [message.id]);
    assert.equal(row === undefined, message.status === 'gone');
    if (row !== undefined) await this.#step(message, row.group_id, step);
  }

  async #step(message: Known, groupId: string, step: Step): Promise<void> {
    const { db } = this.test;
    switch (step) {
      case 'accept':
        return this.#accept(message, await acceptMessages(db, groupId));
      case 'fence': {
        const fenced = (await fenceMessages(db, [message.id])).length === 1;
        assert.equal(fenced, message.status === 'accepting');
        if (fenced) message.status = 'gone';
        return;
      }
      case 'claim':
        return this.#claim(message, await claimHandoffs(db, groupId, sandboxEverywhere));
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
        this.#apply(message);
        return close(message);
      case 'cancel':
        return this.#cancel(message);
      case 'noHandoff':
        await giveUpOnHandoffs(db, groupId);
        if (isQueued(message) && !waitsForReport(message)) this.#fail(message);
        return close(message);
      case 'noReport':
        await giveUpOnReports(db, groupId);
        if (message.status === 'sent' && message.inbox.size === 0) message.unknown = true;
        return close(message);
    }
  }

  #accept(message: Known, { accepted }: { accepted: string[] }): void {
    if (message.status === 'accepting') {
      const affordable = this.#balance >= message.cost;
      message.status = affordable ? 'queued' : 'gone';
      if (affordable) this.#balance -= message.cost;
    }
    assert.deepEqual(accepted, message.status === 'gone' ? [] : [message.id]);
  }

  #claim(message: Known, claims: Claim[]): void {
    assert.equal(claims.length, isQueued(message) && !waitsForReport(message) ? 1 : 0);
    const [claim] = claims;
    if (claim === undefined) return;
    assert.equal(claim.uncertain, message.uncertain);
    message.claim = claim;
    message.status = 'sending';
    message.uncertain = true; // until the answer is known
  }

  /** The answer to the last call, as far as there was one. */
  async #answer(message: Known, outcome: 'accepted' | 'rejected' | 'retryable' | 'unknown'): Promise<void> {
    const { claim } = message;
    if (claim === undefined) return;
    const base = { id: message.id, attempt: claim.attempt, provider: 'sandbox' };
    if (outcome === 'accepted') await recordHandoffs(this.test.db, [acceptedAs(claim, message.providerId)]);
    else if (outcome === 'rejected')
      await recordHandoffs(this.test.db, [{ ...base, outcome, error_code: '30008', error_message: 'Unknown destination' }]);
    else await recordHandoffs(this.test.db, [{ ...base, outcome, detail: 'why' }]);
    if (outcome === 'accepted') for (const status of message.waiting) message.inbox.add(status);
    if (outcome === 'accepted') message.waiting.clear();
    const [attempts] = await rows<{ uncertain: boolean }>(
      this.test.db,
      `SELECT bool_or(outcome IS NULL OR outcome = 'unknown') AS uncertain FROM send_attempts WHERE message_id = $1`,
      [message.id],
    );
    message.uncertain = attempts?.uncertain ?? false;
    if (!isQueued(message)) return;
    if (outcome === 'accepted') message.status = 'sent';
    if (outcome === 'rejected') this.#fail(message);
    // Given back only where no other call may have reached the provider.
    if (outcome === 'retryable' && !message.uncertain) message.status = 'queued';
  }

  /** Each statement counts once; before anything was handed over it belongs to nobody. */
  async #report(message: Known, status: ReportStatus): Promise<void> {
    await recordReports(this.test.db, [reportOf({ id: message.id, provider_message_id: message.providerId }, status)]);
    // What waits for its message finds it when it comes again, if another report has told the provider's id meanwhile.
    if (message.waiting.has(status) && (await this.#isKnownToProvider(message))) message.waiting.delete(status);
    if ([message.waiting, message.inbox, message.done].some((set) => set.has(status))) return;
    // A read receipt that proves a delivery too has an event, and so a workflow of its own.
    const isAppliedAtOnce = status === 'read' && message.closed && message.inbox.size === 0 && message.status !== 'sent';
    (message.claim === undefined ? message.waiting : message.inbox).add(status);
    if (isAppliedAtOnce && message.claim !== undefined) this.#apply(message);
  }

  async #isKnownToProvider({ id }: Known): Promise<boolean> {
    const [row] = await rows<{ known: boolean }>(
      this.test.db,
      'SELECT provider_message_id IS NOT NULL AS known FROM messages WHERE id = $1',
      [id],
    );
    return row?.known ?? false;
  }

  #apply(message: Known): void {
    if (message.inbox.size > 0 && isQueued(message)) message.status = 'sent';
    message.status = stateAfter(message.inbox, { channel: 'whatsapp', state: message.status });
    for (const status of message.inbox) message.done.add(status);
    message.inbox.clear();
  }

  async #cancel(message: Known): Promise<void> {
    const cancelled = await cancelMessage(this.test.db, this.workspaceId, message.id).then(
      (row) => row.status === 'failed',
      () => false,
    );
    if (message.status === 'queued') {
      assert.equal(cancelled, true);
      this.#fail(message);
    }
  }

  /** Failed before it was handed off, so it costs nothing. */
  #fail(message: Known): void {
    message.status = 'failed';
    message.refunded = true;
    this.#balance += message.cost;
  }

  async assertAgreement(): Promise<void> {
    for (const message of this.messages.filter(({ status }) => status !== 'gone')) {
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
    assert.equal(await balanceOf(this.test.db, this.workspaceId), this.#balance);
  }
}

/** After each look at a group of which nothing is open. */
function close(message: Known): void {
  if (message.status !== 'accepting' && !isQueued(message) && (message.status !== 'sent' || message.unknown)) message.closed = true;
}

/** The inbox holds a report, which will prove the hand-off: nobody calls again, and nobody gives up. */
const waitsForReport = ({ status, inbox }: Known) => status === 'sending' && inbox.size > 0;

const isQueued = ({ status }: Known) => status === 'queued' || status === 'sending';
