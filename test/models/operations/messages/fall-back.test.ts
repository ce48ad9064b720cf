import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { closeWorkspace } from '../../../../models/operations/accounts/close-workspace.js';
import { acceptMessages } from '../../../../models/operations/messages/accept-messages.js';
import { fallBack } from '../../../../models/operations/messages/fall-back.js';
import { overdueFallbacks } from '../../../../models/operations/messages/fallback-chain.js';
import { insertMessages } from '../../../../models/operations/messages/insert-messages.js';
import { systemOrigin } from '../../../../models/rules/audit/origin.js';
import { workflowIds } from '../../../../workflows/contract.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { newMessage } from '../../../support/rows/factories.js';
import { acceptedAs, claimAll, ledgerOf, sandboxEverywhere, statusOf } from '../../../support/rows/messages.js';
import { recordHandoffs } from '../../../support/rows/reports.js';
import { withClock } from '../../../support/shift-clock.js';

describe('fallBack', () => {
  const test = workspaceForEach({ balance: 5_000 });

  /** An accepted message by SMS, after which mails are sent. */
  const buildQueuedChain = async (price: number, mails = 1) => {
    const id = uuidv7();
    const message = newMessage({ id, workspace_id: test.workspaceId, group_id: id });
    const step = { channel: 'email', to: 'a@example.test', after: 60, content: {}, price, segments: null, encoding: null } as const;
    const fallback = Array.from({ length: mails }, () => step);
    await insertMessages(test.db, { groupId: id, workflowId: workflowIds.message(id), messages: [message], fallback });
    await acceptMessages(test.db, id);
    return id;
  };
  /** The same with a claimed message. */
  const buildChain = async () => {
    const id = await buildQueuedChain(100);
    const [claim] = await claimAll(test.db, id, sandboxEverywhere);
    assert.ok(claim);
    return claim;
  };
  const outcomeOf = async (id: string) =>
    (await rows<{ outcome: string | null }>(test.db, 'SELECT outcome FROM fallbacks WHERE message_id = $1', [id]))[0]?.outcome;

  it('no step is sent or charged once the account is closed', async () => {
    const claim = await buildChain();
    await recordHandoffs(test.db, [acceptedAs(claim)]);
    await closeWorkspace(test.db, test.workspaceId, systemOrigin('operator'));
    const { next, waits } = await fallBack(test.db, claim.id, true, workflowIds.message);
    assert.deepEqual([next, waits, await outcomeOf(claim.id)], [null, false, 'not_needed']);
    assert.deepEqual(await ledgerOf(test.db, test.workspaceId), ['grant 5000', 'debit -1000']);
  });

  it('no step is sent when the expiry of the chain is over', async () => {
    const claim = await buildChain();
    await recordHandoffs(test.db, [acceptedAs(claim)]);
    await rows(test.db, 'UPDATE messages SET expires_at = now() WHERE id = $1', [claim.id]);
    const { next, waits } = await fallBack(test.db, claim.id, true, workflowIds.message);
    assert.deepEqual(
      [next, waits, await outcomeOf(claim.id), await statusOf(test.db, claim.id)],
      [null, false, 'not_needed', 'sent/awaiting_report'],
    );
  });

  it('a step waits for the call in progress, and is paid in full if that is refused', async () => {
    const claim = await buildChain();
    const ask = () => fallBack(test.db, claim.id, true, workflowIds.message);
    const early = await ask();
    assert.deepEqual([early.next, early.waits, await outcomeOf(claim.id)], [null, true, null]);
    const refused = { outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' } as const;
    await recordHandoffs(test.db, [{ id: claim.id, attempt: claim.attempt, provider: 'sandbox', ...refused }]);
    assert.equal((await ask()).next?.channel, 'email');
    assert.deepEqual(await ledgerOf(test.db, test.workspaceId), ['grant 5000', 'debit -1000', 'refund 1000', 'debit -100']);
  });

  it('the next step does not wait for a call whose answer was lost', async () => {
    const { id } = await buildChain();
    await rows(test.db, `UPDATE send_attempts SET started_at = now() - interval '16 seconds' WHERE message_id = $1`, [id]);
    assert.equal((await fallBack(test.db, id, true, workflowIds.message)).next?.channel, 'email');
  });

  it('the next step waits longer for a mail server, whose call may last longer', async () => {
    const { id } = await buildChain();
    await rows(test.db, `UPDATE messages SET channel = 'email' WHERE id = $1`, [id]);
    const startedBefore = (seconds: number) =>
      rows(test.db, `UPDATE send_attempts SET started_at = now() - $2 * interval '1 second' WHERE message_id = $1`, [id, seconds]);
    const waits = async () => (await fallBack(test.db, id, true, workflowIds.message)).waits;
    await startedBefore(40);
    assert.equal(await waits(), true);
    await startedBefore(46);
    assert.equal(await waits(), false);
  });

  it('a message stays queued when its next step cannot be paid', async () => {
    const id = await buildQueuedChain(9_000);
    const { next, waits } = await fallBack(test.db, id, true, workflowIds.message);
    assert.deepEqual([next, waits, await outcomeOf(id), await statusOf(test.db, id)], [null, false, 'unaffordable', 'queued/accepted']);
    assert.deepEqual(await ledgerOf(test.db, test.workspaceId), ['grant 5000', 'debit -1000']);
    assert.deepEqual(await rows(test.db, 'SELECT id FROM messages WHERE workspace_id = $1', [test.workspaceId]), [{ id }]);
  });

  it('no step of a chain is overdue early if the clocks of API and worker are behind', async () => {
    const overdue = async (ids: string[]) => (await overdueFallbacks(test.db, 0)).filter(({ messageId }) => ids.includes(messageId));
    await withClock(-300_000, async () => {
      const id = await buildQueuedChain(100, 2);
      assert.deepEqual(await overdue([id]), []);
      const { next } = await fallBack(test.db, id, true, workflowIds.message);
      assert.deepEqual([next?.channel, await overdue([id, next?.groupId ?? ''])], ['email', []]);
    });
  });
});
