import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { phones } from '../../support/bulk-requests.js';
import { until } from '../../support/client.js';
import { serviceWithBatches } from './batch-service.js';

describe('the pace of a batch', () => {
  const test = serviceWithBatches();
  const callsOf = (prefix: string) => test.calls.filter(({ to }) => to.startsWith(prefix));

  it('the pace of a batch blocks no batch of another workspace', async () => {
    const slow = await test.client.signUp();
    const perPage = 250;
    const pages = 10; // a worker has eight slots
    const recipients = Array.from({ length: pages * perPage }, (_, index) => `slow-${index}@example.org`);
    const slowId = await test.bulk(slow, recipients, { channel: 'email', rate: 0.1 });
    await until(() => callsOf('slow-').length === 1, 'the slow batch has begun');
    const other = await test.client.signUp();
    const id = await test.bulk(other, phones(100));
    await until(async () => (await test.get(other, id)).counts.queued === 0, 'the other batch is handed off');
    assert.ok(callsOf('slow-').length <= 2, 'before the slow one has made its third call');
    await test.change(slow, slowId, 'cancel');
  });

  it('the pace of a batch is kept with a provider that needs four seconds for each call', async () => {
    let [running, highest] = [0, 0];
    test.beforeTaking = async () => {
      highest = Math.max(highest, ++running);
      await sleep(4_000);
      running -= 1;
      return undefined;
    };
    const account = await test.client.signUp();
    const id = await test.bulk(account, phones(100), { rate: 40 });
    await test.settled(account, id);
    assert.ok(highest >= 50, `40 calls a second of four seconds each are 100 at once; there were ${highest}`);
  });
});
