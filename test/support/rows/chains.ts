/** Chains whose messages were called for without an answer: the next step was sent while it was unknown whether they arrive. */
import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import type { Channel } from '../../../models/channels.js';
import type { FallbackStep } from '../../../models/rules/messages/fallback.js';
import { auditNow } from '../../../models/operations/billing/audit-books.js';
import { acceptMessages } from '../../../models/operations/messages/accept-messages.js';
import { fallBack } from '../../../models/operations/messages/fall-back.js';
import { insertMessages } from '../../../models/operations/messages/insert-messages.js';
import { workflowIds } from '../../../workflows/contract.js';
import { rows } from '../database.js';
import { type WorkspaceTest, workspaceForEach } from '../for-each.js';
import { prices } from '../prices.js';
import { newMessage } from './factories.js';
import { claimAll, ledgerOf, messageOf, sandboxEverywhere } from './messages.js';
import { recordHandoffs } from './reports.js';

/** To which a step by e-mail goes. */
export const address = 'a@example.test';
const results = {
  refused: { outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' },
  busy: { outcome: 'retryable', detail: '503' },
} as const;

/** A workspace for each test. After each test the books must balance, and so must the sums of usage. */
export function chainsForEach() {
  const test = workspaceForEach();
  afterEach(async () => {
    assert.equal(await auditNow(test.db, (difference) => assert.fail(JSON.stringify(difference))), 0);
    const sql = 'SELECT (SELECT sum(credits_used) FROM messages) AS used, (SELECT sum(credits) FROM message_changes) AS counted';
    const [sums] = await rows<{ used: number; counted: number }>(test.db, sql);
    assert.equal(sums?.counted, sums?.used, 'the sums of usage');
  });
  const end = (id: string | undefined, result: keyof typeof results) =>
    recordHandoffs(test.db, [{ id: id ?? '', attempt: 1, provider: 'sandbox', ...results[result] }]);
  const costsOf = async (ids: string[]) => {
    const costs: number[] = [];
    for (const id of ids) costs.push((await messageOf(test.db, id)).credits_used);
    return costs;
  };
  /** The ledger without the grant. */
  const movements = async () => (await ledgerOf(test.db, test.workspaceId)).slice(1);
  return { test, ...buildersOf(test), end, costsOf, movements };
}

function buildersOf(test: WorkspaceTest) {
  /** Makes the call for a message, whose answer is lost: the next step does not wait for it, not even if it was a mail server's. */
  const loseAnswer = async (id: string) => {
    await claimAll(test.db, id, sandboxEverywhere);
    await rows(test.db, `UPDATE send_attempts SET started_at = now() - interval '46 seconds' WHERE message_id = $1`, [id]);
  };
  const sendNext = async (id: string) => (await fallBack(test.db, id, true, workflowIds.message)).next?.groupId ?? assert.fail('no step');
  /** @param unsent steps that follow and are not sent yet @returns the ids of the messages */
  const buildChain = async ([first, ...channels]: [Channel, ...Channel[]], unsent: Channel[] = []): Promise<string[]> => {
    let id = uuidv7();
    const message = newMessage({ id, workspace_id: test.workspaceId, group_id: id, channel: first });
    const fallback = [...channels, ...unsent].map(stepBy);
    await insertMessages(test.db, { groupId: id, workflowId: workflowIds.message(id), messages: [message], fallback });
    await acceptMessages(test.db, id);
    await loseAnswer(id);
    const ids = [id];
    for (const _ of channels) {
      id = await sendNext(id);
      await loseAnswer(id);
      ids.push(id);
    }
    return ids;
  };
  return { buildChain, sendNext, loseAnswer };
}

function stepBy(channel: Channel): FallbackStep {
  const to = channel === 'email' ? address : '+15551234567';
  return { channel, to, after: 60, content: {}, price: prices[channel], segments: null, encoding: null };
}
