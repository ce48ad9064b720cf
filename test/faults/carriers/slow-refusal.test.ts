import assert from 'node:assert/strict';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { refuse, startTwilio, twilioEnv, type TwilioCounterpart } from '../../support/carriers/twilio.js';
import { type Json, type RestClient, restClient } from '../../support/client.js';
import { type Service, startService } from '../../support/service.js';

describe('a carrier that refuses a message after the time of its fallback', () => {
  let counterpart: TwilioCounterpart;
  let service: Service;
  let client: RestClient;
  before(async () => {
    counterpart = await startTwilio();
    service = await startService({ isHere: true, env: { ...twilioEnv(counterpart), UNKNOWN_HANDOFF_TIMEOUT: '8' } });
    client = restClient(service.url, service.db);
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    await service?.stop();
    await counterpart?.close();
  });

  it('the next step of a chain is sent after the carrier has refused the message, and costs its price', async () => {
    const account = await client.signUp();
    counterpart.interfere = (response) => {
      setTimeout(() => refuse(response, 400, 21211), 2_500);
      return true;
    };
    const fallback = [{ channel: 'email', to: 'ada@example.test', after: 1 }];
    const { id } = await client.send(account, { to: '+15551230009', channel: 'sms', content: { text: 'Hello' }, fallback });
    const first = await client.messageUntil(account, id, (message) => message.fallback?.outcome === 'sent');
    const next = await client.messageUntil(account, first.fallback.message_id, ({ status }) => status === 'delivered');
    assert.deepEqual([first.status, first.credits_used, next.credits_used], ['failed', 0, 0.1]);
  });

  it('a message whose carrier never answers is refunded, less the price of the step sent meanwhile', async () => {
    const account = await client.signUp();
    counterpart.interfere = (response) => {
      response.destroy();
      return true;
    };
    const fallback = [{ channel: 'email', to: 'ada@example.test', after: 1 }];
    const { id } = await client.send(account, { to: '+15551230009', channel: 'sms', content: { text: 'Hello' }, fallback });
    const followed = await client.messageUntil(account, id, (message) => message.fallback?.outcome === 'sent');
    const stepId = followed.fallback.message_id;
    const early = await client.messageUntil(account, stepId, ({ status }) => status === 'delivered');
    assert.deepEqual([followed.status, followed.credits_used, early.credits_used], ['queued', 1, 0], 'the outcome is unknown until now');
    const first = await client.messageUntil(account, id, ({ status }) => status === 'failed');
    const step = await client.messageUntil(account, stepId, () => true);
    assert.deepEqual([first.error_code, first.credits_used, step.credits_used], ['handoff_unknown', 0, 0.1]);
    const told = await Promise.all([id, stepId].map(amountsOf));
    assert.deepEqual(told, [[-1, 0.1, 0.9], [-0.1]]);

    /** The amounts in the timeline of a message, in their order. */
    async function amountsOf(messageId: string): Promise<number[]> {
      const { body } = await client.call('GET', `/api/v1/messages/${messageId}/timeline`, { headers: { 'X-API-Key': account.apiKey } });
      const steps: Json[] = body.data.timeline.steps.filter(({ type }: Json) => type === 'charged' || type === 'refunded');
      return steps.map(({ details }) => details.amount);
    }
  });
});
