import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyWebhook } from '../../../verify/verify-webhook.js';
import { dueSignal, workflowIds } from '../../../workflows/contract.js';
import { type Account, bearer, type Json, type RestClient, restClient, until } from '../../support/client.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { acknowledge, answerWith, type Received, type Receiver, startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';

/** The first hour of the usual retry schedule has its first three delays; the same shape in seconds. */
const schedule = [0.1, 0.4, 1.2, 1.5, 1.5, 1.5, 1.5, 1.5];

describe('deliveries over an outage', () => {
  let service: Service;
  let client: RestClient;
  let receiver: Receiver;
  let account: Account;
  before(async () => {
    service = await startService({ isHere: true, env: { WEBHOOK_RETRY_DELAYS: schedule.join(',') } });
    client = restClient(service.url);
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    account = await client.signUp();
  });
  afterEach(async () => {
    await receiver.close();
    await assertBooks(service.db);
  });
  after(() => service.stop());

  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const options = { headers: bearer(account.token), ...(body === undefined ? {} : { body }) };
    const answer = await client.call(method, `/api/v1/webhooks${path}`, options);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body.data;
  };
  const subscribe = async (fields: object = {}): Promise<string> =>
    (await call('POST', '', { url: receiver.url, events: ['message.queued'], ...fields })).webhook.id;
  /** Oldest first. */
  const deliveriesOf = async (id: string): Promise<Json[]> => (await call('GET', `/${id}/deliveries`)).deliveries.toReversed();
  const untilAttempted = (id: string) =>
    until(async () => (await deliveriesOf(id)).every(({ attempts }) => attempts.length === 1), 'the first attempt is recorded');
  const untilSucceeded = (id: string) =>
    until(async () => (await deliveriesOf(id)).every(({ status }) => status === 'succeeded'), 'everything is delivered');
  const idOf = ({ headers }: Received) => headers['webhook-id'];

  it('every attempt during an outage is logged, and each event arrives once', async () => {
    let isDown = true;
    const acknowledged: (string | string[] | undefined)[] = [];
    receiver.answer = (received, ...rest) => {
      if (!isDown) acknowledged.push(idOf(received));
      (isDown ? answerWith(503) : acknowledge)(received, ...rest);
    };
    const [plain, ordered] = [await subscribe(), await subscribe({ ordered: true })];
    for (let index = 0; index < 3; index += 1) await client.send(account);
    await until(async () => (await deliveriesOf(plain)).every(({ attempts }) => attempts.length >= 3), 'three delays are used up');
    isDown = false;
    await Promise.all([plain, ordered].map(untilSucceeded));

    for (const { attempts, status, next_attempt_at } of await deliveriesOf(plain)) {
      assert.deepEqual([status, next_attempt_at], ['succeeded', null]);
      assert.deepEqual(
        attempts.map(({ number, trigger, error }: Json) => [number, trigger, error]),
        attempts.map((_: Json, index: number) => [index + 1, 'scheduled', index + 1 < attempts.length ? 'http_status' : null]),
      );
      for (const [index, delay] of schedule.slice(0, attempts.length - 1).entries()) {
        const seconds = (Date.parse(attempts[index + 1].at) - Date.parse(attempts[index].at)) / 1000;
        assert.ok(seconds >= delay && seconds < 1.2 * delay + 5, `${seconds} s where the retry schedule says ${delay} s`);
      }
    }
    assert.equal(acknowledged.length, 6);
    assert.equal(new Set(acknowledged).size, 3, 'both webhooks got each event once');
    const [head, ...rest] = await deliveriesOf(ordered);
    assert.ok(head.attempts.length > 1);
    assert.deepEqual(
      rest.map(({ attempts }) => attempts.length),
      [1, 1],
      'nothing passed the first in the line',
    );
    const times = [head, ...rest].map(({ delivered_at }) => Date.parse(delivered_at));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  });

  it('deliveries are retried after ten seconds without an answer, and a late answer is ignored', async () => {
    let lateAnswer: Promise<void> | undefined;
    receiver.answer = (received, response, index) => {
      if (index > 0) acknowledge(received, response, index);
      else lateAnswer = sleep(11_000).then(() => acknowledge(received, response, index));
    };
    const id = await subscribe();
    await client.send(account);
    await receiver.untilReceived(1);
    await lateAnswer;
    await untilSucceeded(id);
    const [{ attempts }] = (await deliveriesOf(id)) as [Json];
    assert.deepEqual(
      attempts.map(({ error, response_status }: Json) => [error, response_status]),
      [
        ['timeout', null],
        [null, 200],
      ],
    );
    assert.ok(attempts[0].duration_ms >= 10_000 && attempts[0].duration_ms < 15_000, `${attempts[0].duration_ms} ms`);
    const [first, second] = receiver.received as [Received, Received];
    assert.deepEqual([receiver.received.length, idOf(second), second.body], [2, idOf(first), first.body]);
  });

  describe('whose webhook changes between two attempts', () => {
    /** A webhook that has refused its first event and tries again in an hour. */
    const refused = async (): Promise<string> => {
      receiver.answer = answerWith(500);
      const id = await subscribe({ retry_delays: [3_600] });
      await client.send(account);
      await until(async () => (await deliveriesOf(id)).length === 1, 'the event is there');
      await untilAttempted(id);
      receiver.answer = acknowledge;
      return id;
    };
    /** Wakes the retrier once and waits until it has found no more work. Each wake-up makes it look again. */
    const untilCarrierEnds = async (id: string) => {
      const retrier = service.temporal.client.workflow.getHandle(workflowIds.retrier(id));
      const status = () =>
        retrier.describe().then(
          ({ status: { name } }) => name,
          () => undefined,
        );
      await until(async () => (await status()) !== undefined, 'the retrier is there');
      await retrier.signal(dueSignal).catch(() => undefined); // it has ended when it started late
      await until(async () => (await status()) === 'COMPLETED', 'the retrier ends');
    };

    it('deliveries to a changed webhook are sent to its new URL at once, signed with its new secret', async () => {
      const id = await refused();
      const { secret } = await call('POST', `/${id}/rotate-secret`, { overlap_hours: 0 });
      const other = await startReceiver();
      await call('PUT', `/${id}`, { url: other.url });
      const [received] = (await other.untilReceived(1)) as [Received];
      assert.equal(verifyWebhook(received.body, received.headers, secret).id, idOf(receiver.received[0] as Received));
      await untilSucceeded(id);
      await other.close();
      assert.equal(receiver.received.length, 1);
    });

    it('deliveries to a disabled webhook are held, and are sent by replay when it is active again', async () => {
      const id = await refused();
      await call('PUT', `/${id}`, { is_active: false });
      await untilCarrierEnds(id);
      const [{ status, next_attempt_at }] = (await deliveriesOf(id)) as [Json];
      assert.deepEqual([status, next_attempt_at, receiver.received.length], ['held', null, 1]);
      await call('PUT', `/${id}`, { is_active: true });
      await call('POST', `/${id}/replay`, { since: '2020-01-01T00:00:00Z' });
      await untilSucceeded(id);
      assert.deepEqual([new Set(receiver.received.map(idOf)).size, receiver.received.length], [1, 2]);
    });

    it('deliveries to a deleted webhook end', async () => {
      const id = await refused();
      await call('DELETE', `/${id}`);
      await untilCarrierEnds(id);
      assert.equal(receiver.received.length, 1);
    });
  });
});
