import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { v7 as uuidv7 } from 'uuid';
import { Batch } from '../../models/batch.js';
import { Message } from '../../models/message.js';
import { acceptBatch } from '../../models/operations/accept-batch.js';
import { rows } from '../support/database.js';
import { assertBooks } from '../support/invariants.js';
import { balanceOf } from '../support/messages.js';
import { type Answer, startApp, type TestApp } from './start-app.js';

const path = '/api/v1/messages/bulk';
const phone = (index: number) => `+1555${String(1_000_000 + index)}`;
const sms = {
  channel: 'sms',
  content: { text: 'Hi {{name}}' },
  recipients: [0, 1, 2].map((index) => ({ to: phone(index), name: `N${index}` })),
};
const unavailable = 'Internal server error. Please try again later.';

describe('a batch', () => {
  let app: TestApp;
  let key: string;
  let workspaceId: string;
  const open = async (balance = 100_000) => {
    ({ key, workspaceId } = await app.account({ balance }));
  };
  beforeEach(async () => {
    app = await startApp();
    await open();
  });
  afterEach(async () => {
    await assertBooks(app.deps.db);
    await app.close();
  });
  const post = (idempotencyKey?: string, changes: object = {}) =>
    app.call('POST', path, {
      key,
      body: { ...sms, ...changes },
      headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
    });
  const get = async (id: string) => (await app.call('GET', `${path}/${id}`, { key })).body.data.batch;
  const act = (id: string, verb: string) => app.call('POST', `${path}/${id}/${verb}`, { key });
  const counted = async () => {
    const counts = ['batches', 'messages', 'message_groups'].map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
    const [row] = await rows(
      app.deps.db,
      `SELECT ${counts.join(', ')}, (SELECT count(*) FROM credit_entries WHERE kind = 'debit') AS debits`,
    );
    return Object.values(row ?? {});
  };
  const nothing = [0, 0, 0, 0];
  const silent = () => Promise.reject(new Error('4 DEADLINE_EXCEEDED'));

  describe('whose workflow refuses or says nothing', () => {
    it('402 when only the workflow finds out, with the balance of that moment, and the key stays free', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      app.deps.temporal.acceptBatch = async (request) => {
        await app.deps.db.query(`UPDATE workspaces SET balance = 100 WHERE id = '${workspaceId}'`);
        return accept(request);
      };
      assert.equal((await post('k')).body.error, 'Insufficient credits. You need 3 credits but have 0.1.');
      assert.deepEqual(await counted(), nothing);
      await app.deps.db.query(`UPDATE workspaces SET balance = 100000 WHERE id = '${workspaceId}'`);
      app.deps.temporal.acceptBatch = accept;
      assert.equal((await post('k')).headers.get('idempotent-replayed'), null);
    });
    it('500 fenced: nothing is charged, also when the worker comes later', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      let id = '';
      app.deps.temporal.acceptBatch = ({ batchId }) => {
        id = batchId;
        return silent();
      };
      const answer = await post('k');
      assert.deepEqual([answer.status, answer.body.error, answer.headers.get('retry-after')], [500, unavailable, '1']);
      assert.equal((await acceptBatch(app.deps.db, id)).accepted, false);
      assert.deepEqual(await counted(), nothing);
      app.deps.temporal.acceptBatch = accept;
      assert.equal((await post('k')).status, 201);
    });
    it('201 when the workflow had been faster', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      app.deps.temporal.acceptBatch = async (request) => {
        await accept(request);
        return silent();
      };
      assert.deepEqual([(await post('k')).status, (await post('k')).headers.get('idempotent-replayed')], [201, 'true']);
    });
    it('402 when the workflow had refused', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      app.deps.temporal.acceptBatch = async (request) => {
        await app.deps.db.query(`UPDATE workspaces SET balance = 0 WHERE id = '${workspaceId}'`);
        await accept(request);
        return silent();
      };
      assert.equal((await post()).body.error, 'Insufficient credits. You need 3 credits but have 0.');
      await app.deps.db.query(`UPDATE workspaces SET balance = 100000 WHERE id = '${workspaceId}'`);
    });
    it('is not seen before it is decided', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      const seen: unknown[] = [];
      app.deps.temporal.acceptBatch = async (request) => {
        const list = await app.call('GET', path, { key });
        const messages = await app.call('GET', `/api/v1/messages?batch_id=${request.batchId}`, { key });
        const answers = [
          await app.call('GET', `${path}/${request.batchId}`, { key }),
          await act(request.batchId, 'cancel'),
          await act(request.batchId, 'pause'),
        ];
        seen.push(list.body.data.pagination.total, messages.body.data.pagination.total, ...answers.map(({ body }) => body.error));
        return accept(request);
      };
      await post();
      assert.deepEqual(seen, [0, 0, 'Batch not found', 'Batch not found', 'Batch not found']);
    });
  });

  describe('asked for twice', () => {
    it('is the first answer again, whatever became of it', async () => {
      const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
      const changes = { scheduled_at, on_invalid: 'skip', recipients: [...sms.recipients, 'x'] };
      const first = await post('k', changes);
      assert.equal(first.headers.get('idempotent-replayed'), null);
      await act(first.body.data.batch.id, 'cancel');
      const again = await post('k', changes);
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
      assert.equal(JSON.stringify(again.body), JSON.stringify(first.body));
      assert.deepEqual(await counted(), [1, 3, 1, 1]);
    });
    it('does not mind the order of fields, and 422 for any other body', async () => {
      await post('k');
      const turned = sms.recipients.map(({ to, name }) => ({ name, to }));
      assert.equal((await post('k', { recipients: turned, unknown: 1 })).headers.get('idempotent-replayed'), 'true');
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
    it('does not share keys with single sends', async () => {
      await post('k');
      const single = { to: phone(0), channel: 'sms', content: { text: 'x' } };
      const answer = await app.call('POST', '/api/v1/messages/send', { key, body: single, headers: { 'Idempotency-Key': 'k' } });
      assert.deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [201, null]);
    });
    it('one of ten at once does the work, the others get its answer', async () => {
      const { acceptBatch: accept } = app.deps.temporal;
      app.deps.temporal.acceptBatch = async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return accept(request);
      };
      const answers: Answer[] = await Promise.all(Array.from({ length: 10 }, () => post('k')));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
      assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
      assert.deepEqual(await counted(), [1, 3, 1, 1]);
    });
    it('all twins of a fenced request get 500, and nothing stays', async () => {
      app.deps.temporal.acceptBatch = async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return silent();
      };
      const answers = await Promise.all(Array.from({ length: 5 }, () => post('k')));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([500]));
      assert.deepEqual(await counted(), nothing);
    });
  });

  describe('that is there', () => {
    it('is listed newest first, without its errors, with exact counts', async () => {
      const made: string[] = [];
      for (let index = 0; index < 3; index += 1) made.unshift((await post()).body.data.batch.id);
      await Message.update({ status: 'delivered', status_detail: 'delivered' }, { where: { batch_id: made[0] ?? '' } });
      const { batches, pagination } = (await app.call('GET', `${path}?limit=2`, { key })).body.data;
      assert.deepEqual(
        batches.map(({ id }: { id: string }) => id),
        made.slice(0, 2),
      );
      assert.deepEqual(pagination, { total: 3, page: 1, pages: 2, limit: 2 });
      assert.deepEqual(
        [batches[0].status, batches[0].counts.delivered, batches[1].status, batches[1].counts.queued],
        ['completed', 3, 'sending', 3],
      );
      assert.equal('errors' in batches[0], false);
      const { errors: _errors, ...shown } = await get(made[0] ?? '');
      assert.deepEqual(shown, batches[0]);
      assert.equal((await app.call('GET', `${path}?limit=0`, { key })).body.error, 'Limit must be between 1 and 100');
    });
    it('is paused, resumed and cancelled; its pages are told, and what was not handed off is refunded', async () => {
      const { id } = (await post()).body.data.batch;
      const [page] = await rows<{ workflow_id: string }>(app.deps.db, 'SELECT workflow_id FROM message_groups');
      assert.equal((await act(id, 'pause')).body.data.batch.status, 'paused');
      assert.deepEqual(app.calls, []);
      assert.equal((await act(id, 'resume')).body.data.batch.status, 'sending');
      assert.deepEqual(app.calls, [`changed ${page?.workflow_id}`]);
      await Message.update({ status: 'sent', status_detail: 'awaiting_report' }, { where: { to: phone(0) } });
      const { status, body } = await act(id, 'cancel');
      assert.deepEqual([status, body.data.batch.status, body.data.batch.credits_used], [200, 'cancelled', 1]);
      assert.deepEqual(body.data.batch.counts, { queued: 0, sent: 1, delivered: 0, failed: 2, read: 0 });
      assert.notEqual(body.data.batch.completed_at, null);
      assert.equal(await balanceOf(app.deps.db, workspaceId), 99_000);
      for (const verb of ['pause', 'resume'])
        assert.deepEqual([(await act(id, verb)).status, (await act(id, verb)).body.code], [409, 'conflict']);
      assert.deepEqual((await act(id, 'cancel')).body.data, body.data);
    });
    it('200 although nobody can be told', async () => {
      app.deps.temporal.notifyPages = silent;
      const { id } = (await post()).body.data.batch;
      assert.deepEqual([(await act(id, 'resume')).status, (await act(id, 'cancel')).status], [200, 200]);
    });
    it('409 when everything was handed off', async () => {
      const { id } = (await post()).body.data.batch;
      await Message.update({ status: 'sent', status_detail: 'awaiting_report' }, { where: { batch_id: id } });
      for (const verb of ['cancel', 'pause', 'resume']) assert.equal((await act(id, verb)).status, 409);
      assert.equal((await get(id)).status, 'completed');
    });
    it('404 the same for an unknown, a malformed and a foreign id', async () => {
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

  it('of 10,000 is accepted piece by piece, and others are answered meanwhile', async () => {
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
    assert.deepEqual([answer.status, answer.body.data.batch.accepted, answer.body.data.batch.credits_used], [201, 10_000, 10_000]);
    assert.deepEqual(await counted(), [1, 10_000, 40, 1]);
    // Of how long it takes the bench tells; here, that it is never all one piece.
    assert.ok(answered > 10 && delay.max / 1e6 < tookMs / 4, measured);
  });
});
