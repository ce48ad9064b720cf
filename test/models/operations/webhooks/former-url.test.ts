import assert from 'node:assert/strict';
import { updateWebhook, type WebhookChange } from '../../../../models/operations/webhooks/update-webhook.js';
import { Webhook } from '../../../../models/tables/webhook.js';
import { byTest } from '../../../support/by-test.js';
import { rows } from '../../../support/database.js';
import { webhookForEach } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { attemptWith, buildDelivery, recordAttempts } from '../../../support/rows/deliveries.js';

const newUrl = { url: 'https://new.example.test/' };
const daySeconds = 86_400;

describe('a webhook that is changed while the failure of its former URL is recorded', () => {
  const test = webhookForEach();

  const change = (changed: WebhookChange) => updateWebhook(test.db, test.workspaceId, test.webhook.row.id, changed, byTest);

  /** Does this once, before the next transaction on the pool begins: the attempt is written then, and has no effect on the webhook yet. */
  function beforeNextTransaction(work: () => Promise<unknown>): void {
    const begin = test.db.transaction.bind(test.db) as (...args: unknown[]) => Promise<unknown>;
    const first = async (...args: unknown[]) => {
      Reflect.deleteProperty(test.db, 'transaction');
      await work();
      return begin(...args);
    };
    Object.assign(test.db, { transaction: first });
  }

  const failedAttempt = async (retryAfterSeconds: number | null = null) => {
    const delivery = await buildDelivery(test.db, test.workspaceId);
    const health = {
      webhookId: delivery.webhook_id,
      succeeded: false,
      isScheduled: true,
      isFirst: false,
      isProbe: false,
      retryAfterSeconds,
      delays: [60],
    };
    return { ...attemptWith(delivery, { status: 'pending', inSeconds: 60 }), health };
  };

  it('a webhook stays active if its URL is changed while the former one answers 410', async () => {
    const delivery = await buildDelivery(test.db, test.workspaceId);
    beforeNextTransaction(() => change(newUrl));
    const gone = attemptWith(delivery, { status: 'failed', disableWebhook: 'The endpoint returned 410 Gone' });
    assert.deepEqual(await recordAttempts(test.db, [gone]), ['outdated']);
    assert.equal((await Webhook.owned(test.workspaceId, test.webhook.row.id)).is_active, true);
  });

  for (const [name, changed] of [
    ['a new URL', newUrl],
    ['another chance', { is_active: true }],
  ] as const) {
    it(`a webhook stays active after days of failures if it gets ${name} meanwhile`, async () => {
      await rows(test.db, `UPDATE webhooks SET failing_since = now() - interval '6 days', failures = 3 WHERE id = $1`, [
        test.webhook.row.id,
      ]);
      const attempt = await failedAttempt();
      beforeNextTransaction(() => change(changed));
      assert.notDeepEqual(await recordAttempts(test.db, [attempt], 5 * daySeconds), ['stopped']);
      assert.equal((await Webhook.owned(test.workspaceId, test.webhook.row.id)).is_active, true);
    });
  }

  it('a webhook is attempted at once if its URL is changed while the former one asks to wait', async () => {
    const attempt = await failedAttempt(3_600);
    const other = await test.db.transaction();
    const sql = 'UPDATE webhooks SET url = $2, resume_at = NULL, failing_since = NULL, failures = 0 WHERE id = $1';
    await test.db.query(sql, { bind: [test.webhook.row.id, newUrl.url], transaction: other });
    const recorded = recordAttempts(test.db, [attempt]);
    await untilLockWait(test.db, 'the note of the failure waits for the change');
    await other.commit();
    await recorded;
    const { resume_at, failing_since } = await Webhook.owned(test.workspaceId, test.webhook.row.id);
    assert.deepEqual([resume_at, failing_since], [null, null]);
  });
});
