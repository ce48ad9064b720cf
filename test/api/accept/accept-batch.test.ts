import assert from 'node:assert/strict';
import { select } from '../../../models/db/database.js';
import { until } from '../../support/client.js';
import { phone, toNamed } from '../../support/bulk-requests.js';
import { rows } from '../../support/database.js';
import { temporalAway, useAcceptance } from './use-acceptance.js';
import { prices } from '../../support/prices.js';
import { acceptBatch } from '../../support/rows/batches.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const path = '/api/v1/messages/bulk';
/** Bulk sends of one workspace that the API handles at the same time. */
const atOnce = 2;
const unavailable = 'Internal server error. Please try again later.';

describe('acceptance of a batch', () => {
  const { app, post, postTogether, keyInUse, setBalance, counted, nothing } = useAcceptance(path, toNamed, [
    'batches',
    'messages',
    'message_groups',
  ]);
  const insufficient = (left: number) => `Insufficient credits. You need ${toCredits(3 * prices.sms)} credits but have ${left}.`;
  const act = (id: string, verb: string) => app.call('POST', `${path}/${id}/${verb}`, { key: keyInUse() });

  it('the age of a batch and of its messages begins with the insert, not with the request', async () => {
    const { db } = app.deps;
    const holder = await db.transaction();
    await select(db, 'LOCK TABLE batches IN EXCLUSIVE MODE', [], holder);
    const answers = [post(), post(), post()];
    const waiting = 'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0';
    await until(async () => (await rows(db, waiting)).length === 2, 'two insert, and the third waits for its turn');
    const [{ at } = { at: new Date() }] = await rows<{ at: Date }>(db, 'SELECT clock_timestamp() AS at');
    await holder.commit();
    assert.deepEqual(
      (await Promise.all(answers)).map(({ status }) => status),
      [201, 201, 201],
    );
    const stored = await rows<{ created_at: Date }>(db, 'SELECT created_at FROM batches ORDER BY created_at');
    assert.deepEqual(
      stored.map(({ created_at }) => created_at >= at),
      [false, false, true],
    );
    const messages = 'SELECT created_at FROM messages GROUP BY batch_id, created_at ORDER BY created_at';
    assert.deepEqual(await rows(db, messages), stored);
  });

  describe('when the workflow refuses or does not answer', () => {
    it('402 for a batch when its workflow finds too few credits, and the idempotency key stays free', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      app.deps.temporal.acceptBatch = async (request) => {
        await setBalance(100);
        return accept(request);
      };
      const { status, body } = await post('k');
      assert.deepEqual([status, body.error], [402, insufficient(0.1)]);
      assert.deepEqual(await counted(), nothing);
      await setBalance(100_000);
      app.deps.temporal.acceptBatch = accept;
      const again = await post('k');
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, null]);
    });
    it('500 for a batch whose workflow does not answer, and a late worker charges nothing', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      let id = '';
      app.deps.temporal.acceptBatch = ({ batchId }) => {
        id = batchId;
        return temporalAway();
      };
      const answer = await post('k');
      assert.deepEqual([answer.status, answer.body.error, answer.headers.get('retry-after')], [500, unavailable, '1']);
      assert.equal((await acceptBatch(app.deps.db, id)).accepted, false);
      assert.deepEqual(await counted(), nothing);
      app.deps.temporal.acceptBatch = accept;
      assert.equal((await post('k')).status, 201);
    });
    it('201 for a batch that its workflow accepted, although Temporal does not answer', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      app.deps.temporal.acceptBatch = async (request) => {
        await accept(request);
        return temporalAway();
      };
      assert.deepEqual([(await post('k')).status, (await post('k')).headers.get('idempotent-replayed')], [201, 'true']);
    });
    it('402 for a batch that its workflow refused, although Temporal does not answer', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      app.deps.temporal.acceptBatch = async (request) => {
        await setBalance(0);
        await accept(request);
        return temporalAway();
      };
      const { status, body } = await post();
      assert.deepEqual([status, body.error], [402, insufficient(0)]);
      await setBalance(100_000);
    });
    it('404 for a batch that is not accepted yet', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      const seen: unknown[] = [];
      app.deps.temporal.acceptBatch = async (request) => {
        const list = await app.call('GET', path, { key: keyInUse() });
        const messages = await app.call('GET', `/api/v1/messages?batch_id=${request.batchId}`, { key: keyInUse() });
        const answers = [
          await app.call('GET', `${path}/${request.batchId}`, { key: keyInUse() }),
          await act(request.batchId, 'cancel'),
          await act(request.batchId, 'pause'),
        ];
        seen.push(list.body.data.pagination.total, messages.body.data.pagination.total, ...answers.map(({ status }) => status));
        return accept(request);
      };
      await post();
      assert.deepEqual(seen, [0, 0, 404, 404, 404]);
    });
  });

  describe('sent twice with one idempotency key', () => {
    it('a repeated bulk send gets its first answer, although the batch was cancelled since', async () => {
      const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
      const changes = { scheduled_at, on_invalid: 'skip', recipients: [...toNamed.recipients, 'x'] };
      const first = await post('k', changes);
      assert.equal(first.headers.get('idempotent-replayed'), null);
      await act(first.body.data.batch.id, 'cancel');
      const again = await post('k', changes);
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
      assert.equal(JSON.stringify(again.body), JSON.stringify(first.body));
      assert.deepEqual(await counted(), { batches: 1, messages: 3, message_groups: 1, debits: 1 });
    });
    const turned = toNamed.recipients.map(({ to, name }) => ({ name, to }));
    it('a repeated bulk send is recognised with its fields in another order', async () => {
      await post('k');
      assert.equal((await post('k', { recipients: turned, unknown: 1 })).headers.get('idempotent-replayed'), 'true');
    });
    it('422 for a repeated bulk send with another body', async () => {
      await post('k');
      const others = [
        { recipients: turned.slice(1) },
        { recipients: turned.map((one) => ({ ...one, name: 'Z' })) },
        { rate: 5 },
        { content: { text: 'Ho {{name}}' } },
      ];
      for (const other of [...others, { recipients: turned.toReversed() }, { recipients: turned.map((one) => ({ ...one, unused: 1 })) }]) {
        const { status, body } = await post('k', other);
        assert.deepEqual([status, body.code], [422, 'idempotency_mismatch']);
      }
      assert.equal((await post('k', { recipients: ['x'] })).status, 400);
    });
    it('a bulk send and a single send can use the same idempotency key', async () => {
      await post('k');
      const single = { to: phone(0), channel: 'sms', content: { text: 'x' } };
      const answer = await app.call('POST', '/api/v1/messages/send', {
        key: keyInUse(),
        body: single,
        headers: { 'Idempotency-Key': 'k' },
      });
      assert.deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [201, null]);
    });
    it('ten equal bulk sends at once create one batch', async () => {
      const answers = await postTogether(10, 'acceptBatch', { asking: atOnce });
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
      assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
      assert.deepEqual(await counted(), { batches: 1, messages: 3, message_groups: 1, debits: 1 });
    });
    it('500 for every copy of a bulk send that was given up, and nothing remains', async () => {
      const answers = await postTogether(5, 'acceptBatch', { asking: atOnce, answer: temporalAway });
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([500]));
      assert.deepEqual(await counted(), nothing);
    });
  });
});
