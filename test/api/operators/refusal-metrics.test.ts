/** The metrics of refused requests. */
import assert from 'node:assert/strict';
import { apiMetrics } from '../../../models/metrics/catalogue.js';
import { generateApiKey } from '../../../models/rules/accounts/api-key.js';
import { addedTo } from '../../support/measure/counted.js';
import { type Answer } from '../start-app.js';
import { owner, password } from '../accounts/owner.js';
import { useApi } from '../use-api.js';

describe('metrics of refused requests', () => {
  const app = useApi({ env: { RATE_LIMIT_API: '5/60' }, forEachTest: true });
  const sms = { channel: 'sms', to: '+15551234567', content: { text: 'Hello' } };
  const send = (key: string, headers = {}) => app.call('POST', '/api/v1/messages/send', { key, body: sms, headers });
  const limited = async (work: () => Promise<Answer>, times: number) => {
    const statuses: number[] = [];
    const added = await addedTo(apiMetrics.rateLimited, async () => {
      for (let time = 1; time <= times; time += 1) statuses.push((await work()).status);
    });
    return { added, refused: statuses.filter((status) => status === 429).length };
  };

  it('a send without enough credits, and one that repeats a key, are counted as often as they come', async () => {
    const [poor, rich] = [await app.account({ balance: 0 }), await app.account()];
    const outcomes = await addedTo(apiMetrics.accepts, async () => {
      for (let time = 1; time <= 2; time += 1) assert.equal((await send(poor.key)).status, 402);
      for (let time = 1; time <= 3; time += 1) assert.equal((await send(rich.key, { 'Idempotency-Key': 'k1' })).status, 201);
    });
    assert.deepEqual(outcomes, { 'sms refused': 2, 'sms accepted': 1, 'sms repeated': 2 });
  });

  it('each 429 for unknown keys of an address is counted', async () => {
    const { added, refused } = await limited(() => app.call('GET', '/api/v1/messages', { key: generateApiKey() }), 8);
    assert.deepEqual([added, refused], [{ address: 3 }, 3]);
  });

  it('each 429 for logins after wrong passwords is counted', async () => {
    const me = await owner(app);
    const { added, refused } = await limited(() => me.logIn('wrong horse'), 7);
    assert.deepEqual([added, refused], [{ login: 2 }, 2]);
  });

  it('each 429 for too many mails about a new address is counted', async () => {
    const me = await owner(app);
    const ask = () => me.call('POST', '/auth/change-email', { email: `new-${me.email}`, current_password: password });
    assert.deepEqual(await limited(ask, 22), { added: { mail: 2 }, refused: 2 });
  });
});
