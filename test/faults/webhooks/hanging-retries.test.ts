import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { bearer, type Account, type Json, type RestClient, restClient, until } from '../../support/client.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { acknowledge, answerWith, type Receiver, startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';

/** Webhooks of the workspace whose endpoints hang. */
const webhooks = 10;

describe('retries of a workspace whose endpoints hang', () => {
  let service: Service;
  let client: RestClient;
  let hanging: Receiver;
  let working: Receiver;
  before(async () => {
    service = await startService({ apiIsHere: true, env: { WEBHOOK_RETRY_DELAYS: '1,600' } });
    client = restClient(service.url);
    [hanging, working] = await Promise.all([startReceiver(), startReceiver()]);
  });
  after(async () => {
    await Promise.all([hanging.close(), working.close()]);
    await assertBooks(service.db);
    await service.stop();
  });

  const deliveriesOf = async (account: Account, webhookId: string): Promise<Json[]> =>
    (await client.call('GET', `/api/v1/webhooks/${webhookId}/deliveries`, { headers: bearer(account.token) })).body.data.deliveries;

  it('hanging retries delay no other workspace, and are recorded when the worker stops', async () => {
    const hung: ServerResponse[] = [];
    hanging.answer = (received, response, index) =>
      index < webhooks ? answerWith(500)(received, response, index) : void hung.push(response as ServerResponse);
    const [hostile, other] = [await client.signUp(), await client.signUp()];
    const ids: string[] = [];
    for (let count = 0; count < webhooks; count += 1) ids.push((await client.hook(hostile, hanging.url, ['message.queued'])).id);
    await client.send(hostile);
    await until(() => Promise.resolve(hung.length === webhooks), 'each retry hangs');

    working.answer = (received, response, index) => (index === 0 ? answerWith(500) : acknowledge)(received, response, index);
    const { id } = await client.hook(other, working.url, ['message.queued']);
    await client.send(other);
    await until(async () => (await deliveriesOf(other, id)).every(({ status }) => status === 'succeeded'), 'the retry is acknowledged');
    await client.send(other);
    await working.untilReceived(3);
    const attempts = async () => (await Promise.all(ids.map((of) => deliveriesOf(hostile, of)))).flat().map((of) => of.attempts.length);
    assert.deepEqual(await attempts(), Array<number>(webhooks).fill(1), 'the others still hang');

    assert.equal(await service.worker.stop(), 0);
    assert.deepEqual(await attempts(), Array<number>(webhooks).fill(2));
  });
});
