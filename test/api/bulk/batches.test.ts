import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { v7 as uuidv7 } from 'uuid';
import { Batch } from '../../../models/tables/batch.js';
import { Message } from '../../../models/tables/message.js';
import { phone, toNamed } from '../../support/bulk-requests.js';
import { rows } from '../../support/database.js';
import { balanceOf } from '../../support/rows/messages.js';
import { temporalAway } from '../accept/use-acceptance.js';
import { useApi } from '../use-api.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const path = '/api/v1/messages/bulk';

describe('a batch', () => {
  const app = useApi({ forEachTest: true, checksBooks: true });
  let key: string;
  let workspaceId: string;
  const open = async (balance = 100_000) => {
    ({ key, workspaceId } = await app.account({ balance }));
  };
  beforeEach(async () => {
    await open();
  });
  const post = () => app.call('POST', path, { key, body: toNamed });
  const get = async (id: string) => (await app.call('GET', `${path}/${id}`, { key })).body.data.batch;
  const act = (id: string, verb: string) => app.call('POST', `${path}/${id}/${verb}`, { key });

  describe('that is accepted', () => {
    it('the list of batches is newest first, with counts and without errors', async () => {
      const made: string[] = [];
      for (let index = 0; index < 3; index += 1) made.unshift((await post()).body.data.batch.id);
      await Message.update(
        { status: 'delivered', status_detail: 'delivered', delivered_at: new Date() },
        { where: { batch_id: made[0] ?? '' } },
      );
      const { status, body } = await app.call('GET', `${path}?limit=2`, { key });
      const { batches, pagination } = body.data;
      assert.equal(status, 200);
      assert.deepEqual(
        batches.map(({ id }: { id: string }) => id),
        made.slice(0, 2),
      );
      assert.deepEqual({ ...pagination, next_cursor: null }, { total: 3, page: 1, pages: 2, limit: 2, next_cursor: null });
      assert.deepEqual(
        [batches[0].status, batches[0].counts.delivered, batches[1].status, batches[1].counts.queued],
        ['completed', 3, 'sending', 3],
      );
      assert.equal('errors' in batches[0], false);
      const { errors: _errors, ...shown } = await get(made[0] ?? '');
      assert.deepEqual(shown, batches[0]);
      assert.equal((await app.call('GET', `${path}?limit=0`, { key })).body.error, 'Limit must be between 1 and 100');
    });
    it('200 for a batch that is paused, resumed and cancelled, and its waiting messages are refunded', async () => {
      const { id } = (await post()).body.data.batch;
      const [page] = await rows<{ workflow_id: string }>(app.deps.db, 'SELECT workflow_id FROM message_groups');
      assert.equal((await act(id, 'pause')).body.data.batch.status, 'paused');
      assert.deepEqual(app.calls, []);
      assert.equal((await act(id, 'resume')).body.data.batch.status, 'sending');
      assert.deepEqual(app.calls, [`changed ${page?.workflow_id}`]);
      await Message.update({ status: 'sent', status_detail: 'awaiting_report', sent_at: new Date() }, { where: { to: phone(0) } });
      const { status, body } = await act(id, 'cancel');
      assert.deepEqual([status, body.data.batch.status, body.data.batch.credits_used], [200, 'cancelled', toCredits(prices.sms)]);
      assert.deepEqual(body.data.batch.counts, { queued: 0, sent: 1, delivered: 0, failed: 2, read: 0 });
      assert.notEqual(body.data.batch.completed_at, null);
      assert.equal(await balanceOf(app.deps.db, workspaceId), 100_000 - prices.sms);
      for (const verb of ['pause', 'resume'])
        assert.deepEqual([(await act(id, verb)).status, (await act(id, verb)).body.code], [409, 'conflict']);
      assert.deepEqual((await act(id, 'cancel')).body.data, body.data);
    });
    it('200 for callers that pause and resume a batch at the same time', async () => {
      const { id } = (await post()).body.data.batch;
      const verbs = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'pause' : 'resume'));
      const answers = await Promise.all(verbs.map((verb) => act(id, verb)));
      assert.deepEqual(
        answers.filter(({ status }) => status !== 200).map(({ body }) => body.error),
        [],
      );
    });
    it('200 for a batch that is resumed and cancelled although its workflow is unreachable', async () => {
      app.deps.temporal.notifyPages = temporalAway;
      const { id } = (await post()).body.data.batch;
      assert.deepEqual([(await act(id, 'resume')).status, (await act(id, 'cancel')).status], [200, 200]);
    });
    it('409 for the pause, resumption and cancel of a batch whose messages were all handed off', async () => {
      const { id } = (await post()).body.data.batch;
      await Message.update({ status: 'sent', status_detail: 'awaiting_report', sent_at: new Date() }, { where: { batch_id: id } });
      for (const verb of ['cancel', 'pause', 'resume']) assert.equal((await act(id, verb)).status, 409);
      assert.equal((await get(id)).status, 'completed');
    });
    it('404 alike for a batch with an unknown, a malformed and a foreign id', async () => {
      const { id } = (await post()).body.data.batch;
      await open();
      for (const other of [uuidv7(), 'x', id]) {
        const answers = [
          await app.call('GET', `${path}/${other}`, { key }),
          await act(other, 'pause'),
          await act(other, 'resume'),
          await act(other, 'cancel'),
        ];
        for (const { status, body } of answers) assert.deepEqual([status, body.error], [404, 'Batch not found']);
      }
      assert.equal((await app.call('GET', path, { key })).body.data.pagination.total, 0);
      assert.equal((await Batch.findByPk(id))?.status, 'sending');
    });
  });

  it('201 for 10,000 recipients, and other requests are answered meanwhile', async () => {
    await open(20_000_000);
    const recipients = Array.from({ length: 10_000 }, (_item, index) => ({
      to: phone(index),
      variables: { name: `Ann ${index}`, order: index },
      reference: `r-${index}`,
    }));
    const body = { channel: 'sms', content: { text: 'Hi {{ name }}, your order {{order}} is {{state|on its way}}.' }, recipients };
    const delay = monitorEventLoopDelay({ resolution: 5 });
    let isDone = false;
    let answered = 0;
    const others = (async () => {
      while (!isDone) {
        assert.equal((await app.call('GET', '/api/v1/messages?limit=1', { key })).status, 200);
        answered += 1;
      }
    })();
    const text = JSON.stringify(body);
    delay.enable();
    const startedAt = performance.now();
    const answer = await app.call('POST', path, { key, body: text, headers: { 'Idempotency-Key': 'large' } });
    const tookMs = performance.now() - startedAt;
    delay.disable();
    isDone = true;
    await others;
    const measured = `${Math.round(tookMs)} ms, ${answered} others answered, longest block ${Math.round(delay.max / 1e6)} ms`;
    if (process.env.SHOW_MEASURED !== undefined) process.stderr.write(`${measured}\n`);
    assert.deepEqual(
      [answer.status, answer.body.data.batch.accepted, answer.body.data.batch.credits_used],
      [201, 10_000, toCredits(10_000 * prices.sms)],
    );
    const debits = `(SELECT count(*) FROM credit_entries WHERE kind = 'debit') AS debits`;
    const [stored] = await rows(
      app.deps.db,
      `SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM message_groups) AS pages, ${debits}`,
    );
    assert.deepEqual(stored, { messages: 10_000, pages: 40, debits: 1 });
    // The bench measures how long it takes. This shows that it is never all one piece.
    assert.ok(answered > 10 && delay.max / 1e6 < tookMs / 2, measured);
  });
});
