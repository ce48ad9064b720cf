import type { Providers } from '../../../activities/handoff/providers/provider.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';
import { phones } from '../../support/bulk-requests.js';
import { until } from '../../support/client.js';
import { BatchService, Gate } from './batch-service.js';

describe('batches at a carrier that does not respond', () => {
  const test = new BatchService();
  const gate = new Gate();
  const slow = stubProvider(
    async ({ id }) => {
      await gate.passed;
      return { outcome: 'accepted', provider_message_id: `slow-${id}` };
    },
    { name: 'slow' },
  );
  const withSlow = ({ accounts, routes }: Providers): Providers => ({
    accounts: new Map([...accounts, [slow.name, slow]]),
    routes: { ...routes, email: [{ account: slow.name, weight: 1 }] },
  });
  before(() => test.start(withSlow));
  after(async () => {
    gate.open();
    await test.service.stop();
  });

  it('batches whose carrier does not respond keep no batch at another carrier waiting', async () => {
    const [account, other] = [await test.client.signUp(), await test.client.signUp()];
    const isQueued = async (owner: typeof account, id: string) => (await test.get(owner, id)).counts.queued > 0;
    const content = { channel: 'email', content: { subject: 'Hello', text: 'Hello' } };
    const slots = 8;
    const waiting = await Promise.all(Array.from({ length: slots + 2 }, () => test.bulk(account, [{ to: 'ada@example.org' }], content)));
    await until(() => slow.calls.length >= slots, 'the slots of the worker are taken');
    const id = await test.bulk(other, phones(10));
    await until(async () => !(await isQueued(other, id)), 'the other batch is handed off');
    gate.open();
    await until(async () => !(await Promise.all(waiting.map((batch) => isQueued(account, batch)))).includes(true), 'all are handed off');
  });
});
