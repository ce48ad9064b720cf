import assert from 'node:assert/strict';
import { apiMetrics } from '../../../models/metrics/catalogue.js';
import { Message } from '../../../models/tables/message.js';
import { acceptMessages } from '../../../models/operations/messages/accept-messages.js';
import { temporalAway, useAcceptance } from './use-acceptance.js';
import { addedTo } from '../../support/measure/counted.js';
import { prices } from '../../support/prices.js';
import { shiftClock } from '../../support/shift-clock.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const send = '/api/v1/messages/send';
const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, metadata: { b: 1, a: [{ z: 1, y: 2 }] } };
const failed = 'Internal server error. Please try again later.';
const insufficient = (balance: number) => `Insufficient credits. You need ${toCredits(prices.sms)} credits but have ${toCredits(balance)}.`;

describe('acceptance of a message', () => {
  const { app, post, postTogether, useAccount, keyInUse, otherKey, setBalance, counted, nothing } = useAcceptance(send, body, [
    'messages',
    'message_groups',
    'events',
  ]);

  describe('when the balance is short', () => {
    it('402 for a send above the balance, and nothing is stored', async () => {
      await useAccount({ balance: 500 });
      const answer = await post('k');
      assert.deepEqual([answer.status, answer.body.code], [402, 'insufficient_credits']);
      assert.equal(answer.body.error, insufficient(500));
      assert.deepEqual(await counted(), nothing);
    });
    it('402 for a send when its workflow finds too few credits, and the idempotency key stays free', async () => {
      await useAccount({ balance: prices.sms });
      const { accept } = app.deps.temporal;
      app.deps.temporal.accept = async (request) => {
        await setBalance(100);
        return accept(request);
      };
      const { status, body: refusal } = await post('k');
      assert.deepEqual([status, refusal.error], [402, insufficient(100)]);
      assert.deepEqual(await counted(), nothing);
      await setBalance(prices.sms);
      app.deps.temporal.accept = accept;
      const again = await post('k');
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, null]);
    });
    it('30 sends at once spend no more than the balance', async () => {
      await useAccount({ balance: 10 * prices.sms });
      const answers = await Promise.all(Array.from({ length: 30 }, () => post()));
      assert.equal(answers.filter(({ status }) => status === 201).length, 10);
      assert.equal(answers.filter(({ status }) => status === 402).length, 20);
      const { message_groups: groups, ...others } = await counted();
      assert.deepEqual(others, { messages: 10, debits: 10, events: 0 });
      assert.ok(Number(groups) <= 10);
    });
  });

  describe('when Temporal does not answer', () => {
    it('500 for a send that Temporal does not answer: a late worker charges nothing, the idempotency key stays free', async () => {
      const { accept } = app.deps.temporal;
      let groupId = '';
      app.deps.temporal.accept = async (request) => {
        groupId = request.groupId;
        return temporalAway();
      };
      const answer = await post('k');
      assert.deepEqual([answer.status, answer.body.error, answer.headers.get('retry-after')], [500, failed, '1']);
      assert.deepEqual((await acceptMessages(app.deps.db, groupId)).accepted, []);
      assert.deepEqual(await counted(), nothing);
      app.deps.temporal.accept = accept;
      assert.equal((await post('k')).status, 201);
    });
    it('201 for a send that its workflow accepted, although Temporal does not answer', async () => {
      const { accept } = app.deps.temporal;
      app.deps.temporal.accept = async (request) => {
        await accept(request);
        return temporalAway();
      };
      const answer = await post('k');
      assert.deepEqual([answer.status, answer.body.data.message.status], [201, 'queued']);
      assert.equal((await post('k')).headers.get('idempotent-replayed'), 'true');
    });
    it('402 for a send that its workflow refused, although Temporal does not answer', async () => {
      await useAccount({ balance: prices.sms });
      const { accept } = app.deps.temporal;
      app.deps.temporal.accept = async (request) => {
        await setBalance(0);
        await accept(request);
        return temporalAway();
      };
      const { status, body: refusal } = await post();
      assert.deepEqual([status, refusal.error], [402, insufficient(0)]);
      await setBalance(prices.sms);
    });
    it('500, not 402, for a send that an equal request has given up', async () => {
      app.deps.temporal.accept = async ({ groupId }) => {
        await app.deps.db.query(`DELETE FROM messages WHERE group_id = '${groupId}'`);
        return { accepted: [] };
      };
      assert.equal((await post('k')).status, 500);
      await app.deps.db.query('DELETE FROM message_groups');
    });
  });

  describe('idempotency', () => {
    it('a repeated send gets its first answer byte by byte, marked as replayed', async () => {
      const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
      const first = await post('k', { scheduled_at });
      await Message.update(
        { status: 'failed', status_detail: 'undeliverable', provider: 'sandbox', error_code: '30008', failed_at: new Date() },
        { where: {} },
      );
      const again = await post('k', { scheduled_at });
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
      assert.equal(JSON.stringify(again.body), JSON.stringify(first.body));
      assert.equal(first.headers.get('idempotent-replayed'), null);
      assert.deepEqual(await counted(), { messages: 1, message_groups: 1, debits: 1, events: 0 });
    });
    it('a repeated send is recognised with its fields in another order and with unknown fields', async () => {
      await post('k');
      const { channel, to, ...rest } = body;
      const answer = await app.call('POST', send, {
        key: keyInUse(),
        body: { unknown: 1, ...rest, channel, to },
        headers: { 'Idempotency-Key': 'k' },
      });
      assert.deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [201, 'true']);
    });
    it('422 for another send with a used idempotency key, and 400 for an invalid one', async () => {
      await post('k');
      const other = await post('k', { content: { text: 'Other' } });
      assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
      assert.equal(other.body.error, 'Idempotency key was used with a different request');
      assert.equal((await post('k', { to: 'x' })).status, 400);
    });
    it('a repeated send gets its first answer with an empty balance, and after its message expired', async () => {
      await useAccount({ balance: prices.sms });
      const expires_at = new Date(Date.now() - 60_000).toISOString();
      const setRight = shiftClock(-120_000);
      await post('k', { expires_at }).finally(setRight);
      const answers = [await post('k', { expires_at }), await post('other', { expires_at }), await post('other')];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 400, 402],
      );
    });
    it('an idempotency key holds for all API keys of its workspace, and for no other workspace', async () => {
      const first = await post('k');
      const repeated = await app.call('POST', send, { key: await otherKey(), body, headers: { 'Idempotency-Key': 'k' } });
      assert.deepEqual([repeated.status, repeated.headers.get('idempotent-replayed'), repeated.body], [201, 'true', first.body]);
      await useAccount();
      const other = await post('k');
      assert.equal(other.status, 201);
      assert.notEqual(other.body.data.message.id, first.body.data.message.id);
    });
    it('a refused send leaves its idempotency key free', async () => {
      assert.equal((await post('k', { to: 'x' })).status, 400);
      assert.equal((await post('k')).headers.get('idempotent-replayed'), null);
    });
    for (const bad of ['', 'a b', 'x'.repeat(256)]) {
      it(`400 for the idempotency key ${JSON.stringify(bad.slice(0, 10))}`, async () => {
        const { status, body: refused } = await post(bad);
        assert.deepEqual([status, refused.details[0].field], [400, 'Idempotency-Key']);
      });
    }
    it('twenty equal sends at once create one message', async () => {
      const answers = await postTogether(20, 'accept');
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
      assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
      assert.deepEqual(await counted(), { messages: 1, message_groups: 1, debits: 1, events: 0 });
    });
    it('equal sends at the same time count as one that is accepted and others that are repeated', async () => {
      const added = await addedTo(apiMetrics.accepts, () => postTogether(3, 'accept'));
      assert.deepEqual(added, { 'sms accepted': 1, 'sms repeated': 2 });
    });
    it('500 for every copy of a send that was given up, and nothing remains', async () => {
      const answers = await postTogether(5, 'accept', { answer: () => Promise.reject(new Error('away')) });
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([500]));
      assert.deepEqual(await counted(), nothing);
    });
  });
});
