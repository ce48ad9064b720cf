import assert from 'node:assert/strict';
import { select } from '../../../models/db/database.js';
import { grantCredits } from '../../../models/operations/billing/grant-credits.js';
import type { Temporal } from '../../../api/outside/temporal.js';
import { toNamed } from '../../support/bulk-requests.js';
import { prices } from '../../support/prices.js';
import { rows } from '../../support/database.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

/** The reason of a refusal may end before the request is answered. The request was refused all the same. */
describe('a refusal whose reason has ended', () => {
  const app = useApi({ forEachTest: true, checksBooks: true, env: { MAX_OPEN_BATCHES: '1' } });
  let account: Account;
  const errors: unknown[] = [];
  beforeEach(async () => {
    account = await app.account({ balance: 3 * prices.sms });
    errors.length = 0;
    app.deps.logger.error = ((...line: unknown[]) => void errors.push(line)) as typeof app.deps.logger.error;
  });

  const sms = (text: string) => ({ to: '+15551234567', channel: 'sms', content: { text } });
  const post = (what: 'send' | 'bulk', body: object) => app.call('POST', `/api/v1/messages/${what}`, { key: account.key, body });
  const send = () => post('send', sms('x'));
  const sendBatch = () => post('bulk', toNamed);
  const answers = { send: () => send(), bulk: () => sendBatch() };

  /** What happens before the decision of the next send, and after it. */
  const around = (before: () => Promise<unknown>, after: () => Promise<unknown>) => {
    const { accept, acceptBatch } = app.deps.temporal;
    const within =
      <Asked, Answered>(ask: (asked: Asked) => Promise<Answered>) =>
      async (asked: Asked): Promise<Answered> => {
        Object.assign(app.deps.temporal, { accept, acceptBatch } satisfies Partial<Temporal>);
        await before();
        const answer = await ask(asked);
        await after();
        return answer;
      };
    Object.assign(app.deps.temporal, { accept: within(accept), acceptBatch: within(acceptBatch) } satisfies Partial<Temporal>);
  };
  const grant = () => grantCredits(app.deps.db, { id: account.workspaceId, name: 'x' }, { amount: 10_000, reason: 'test' });
  const limit = (value: number | null) =>
    select(app.deps.db, 'UPDATE workspaces SET spend_limit_day = $2 WHERE id = $1', [account.workspaceId, value]);
  const stored = async () => (await rows(app.deps.db, 'SELECT id FROM messages WHERE workspace_id = $1', [account.workspaceId])).length;

  for (const what of ['send', 'bulk'] as const) {
    it(`402 for ${what} with the balance that was too low, when credits arrive before the answer`, async () => {
      // Another send takes everything first.
      around(() => post('send', sms('x'.repeat(2 * 160 + 1))), grant);
      const { status, body } = await answers[what]();
      const needed = what === 'send' ? 1 : 3;
      assert.deepEqual([status, body.error], [402, `Insufficient credits. You need ${needed} credits but have 0.`]);
      assert.deepEqual([await stored(), errors], [1, []]);
    });

    it(`402 for ${what} when the spending limit is lifted before the answer`, async () => {
      around(
        () => limit(1),
        () => limit(null),
      );
      const { status, body } = await answers[what]();
      assert.deepEqual([status, body.code, body.error], [402, 'spend_limit', 'Daily spending limit reached']);
      assert.deepEqual([await stored(), errors], [0, []]);
    });
  }

  it('409 for a batch beyond the quota when the open batch ends before the answer', async () => {
    await grant();
    around(sendBatch, () => select(app.deps.db, `UPDATE batches SET status = 'completed', completed_at = now()`));
    const { status, body } = await sendBatch();
    assert.deepEqual([status, body.code, errors], [409, 'limit_reached', []]);
    assert.equal(await stored(), 3);
  });
});
