/** A service with a workspace and its webhook for each test, and what the owner of the webhook does with it over HTTP. */
import assert from 'node:assert/strict';
import { assertBooks } from '../../harness/checks/invariants.js';
import { type Account, type Answer, bearer, type Json, type RestClient, restClient, until } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/network/receiver.js';
import { type Service, startService } from '../support/service.js';

/** Before any event of a test. */
export const longAgo = '2020-01-01T00:00:00Z';

export const hasEnded = ({ status }: Json): boolean => status === 'succeeded' || status === 'failed';
export const triggersOf = ({ attempts }: Json): string[] => attempts.map(({ trigger }: Json) => trigger);

/** Filled by the hooks; read it in tests. */
interface Stage {
  service: Service;
  client: RestClient;
  receiver: Receiver;
  account: Account;
  hook: { id: string; secret: string };
}

function stageOf(stage: Stage): void {
  before(async () => {
    stage.service = await startService({ isHere: true, env: { WEBHOOK_RETRY_DELAYS: '0.2,0.2', SIGNUP_CREDITS: '1000' } });
    stage.client = restClient(stage.service.url);
  });
  beforeEach(async () => {
    stage.receiver = await startReceiver();
    stage.account = await stage.client.signUp();
    stage.hook = await stage.client.hook(stage.account, stage.receiver.url, ['message.queued']);
  });
  afterEach(async () => {
    await stage.receiver.close();
    await assertBooks(stage.service.db);
  });
  after(() => stage.service.stop());
}

/** Requests of the owner about the webhook. */
function requestsOf(stage: Stage) {
  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    stage.client.call(method, `/api/v1/webhooks/${stage.hook.id}${path}`, {
      headers: bearer(stage.account.token),
      ...(body === undefined ? {} : { body }),
    });
  const data = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await call(method, path, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body.data;
  };
  return { call, data };
}

/** The API waits two seconds for the attempt, and a busy machine may need longer. */
const resendOf = (data: ReturnType<typeof requestsOf>['data'], deliveries: () => Promise<Json[]>) => async (id: string) => {
  const count = (delivery: Json) => triggersOf(delivery).filter((trigger) => trigger === 'manual').length;
  const present = async (): Promise<Json> => (await deliveries()).find((delivery) => delivery.id === id);
  const before = count(await present());
  let resent = (await data('POST', `/deliveries/${id}/resend`)).delivery;
  await until(async () => count(resent) > before || count((resent = await present())) > before, 'the attempt is recorded');
  return resent;
};

/** Call it in a `describe`: it registers the hooks. */
export function useWebhookService() {
  const stage = {} as Stage;
  stageOf(stage);
  const { call, data } = requestsOf(stage);
  const deliveries = async (): Promise<Json[]> => (await data('GET', '/deliveries')).deliveries;
  return Object.assign(stage, {
    /** About the webhook. */
    call,
    /** The same, which succeeds. @returns the data of the answer */
    data,
    deliveries,
    /** A message, which has one event. */
    send: (): Promise<Json> => stage.client.send(stage.account),
    /** The only delivery, once it looks like this. */
    async deliveryUntil(matches: (delivery: Json) => boolean): Promise<Json> {
      let found: Json;
      await until(async () => {
        [found] = await deliveries();
        return found !== undefined && matches(found);
      }, 'the delivery gets there');
      return found;
    },
    /** The replay, once it looks like this. */
    async replayUntil(id: string, matches: (replay: Json) => boolean): Promise<Json> {
      let found: Json;
      await until(async () => matches((found = (await data('GET', `/replays/${id}`)).replay)), 'the replay gets there');
      return found;
    },
    /** Makes tests until the answer to one has its outcome. The API waits two seconds for it, and a busy machine may need longer. */
    async testDelivery(): Promise<Json> {
      let made: Json;
      await until(async () => (made = (await data('POST', '/test')).delivery).status !== 'pending', 'a test answers with its outcome');
      return made;
    },
    /** Resends the delivery. @returns it with the attempt */
    resend: resendOf(data, deliveries),
    replay: async (more: object = {}): Promise<Json> => (await data('POST', '/replay', { since: longAgo, ...more })).replay,
    activate: (isActive: boolean): Promise<Json> => data('PUT', '', { is_active: isActive }),
  });
}
