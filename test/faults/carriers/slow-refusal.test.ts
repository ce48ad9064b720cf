import assert from 'node:assert/strict';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { refuse, startTwilio, twilioEnv, type TwilioCounterpart } from '../../support/carriers/twilio.js';
import { type RestClient, restClient } from '../../support/client.js';
import { type Service, startService } from '../../support/service.js';

describe('a carrier that refuses a message after the time of its fallback', () => {
  let counterpart: TwilioCounterpart;
  let service: Service;
  let client: RestClient;
  before(async () => {
    counterpart = await startTwilio();
    service = await startService({ isHere: true, env: twilioEnv(counterpart) });
    client = restClient(service.url, service.db);
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    await service?.stop();
    await counterpart?.close();
  });

  it('gets the step on its way once it has answered, and the step is not free', async () => {
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
});
