import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTemporal } from '../../../api/outside/temporal.js';
import { buildBatch } from '../../support/rows/batches.js';
import { phones } from '../../support/bulk-requests.js';
import { until } from '../../support/client.js';
import { serviceWithBatches } from './batch-service.js';

describe('the pace of a batch', () => {
  const test = serviceWithBatches();

  it('the pace of a batch blocks no batch of another workspace', async () => {
    const slow = await test.client.signUp();
    const pages = 10; // a worker has eight slots
    const batch = await buildBatch(test.service.db, slow.workspaceId, Array<number>(pages).fill(1), { rate: 0.1 });
    const slowCalls = () => test.calls.filter(({ id }) => batch.pages.some(({ ids }) => ids.includes(id)));
    const temporal = connectTemporal(test.service.config);
    await temporal.acceptBatch({ batchId: batch.id, workspaceId: slow.workspaceId, channel: 'sms', traceparent: null });
    await temporal.close();
    await until(() => slowCalls().length === 1, 'the slow batch has begun');
    const other = await test.client.signUp();
    const id = await test.bulk(other, phones(100));
    await until(async () => (await test.get(other, id)).counts.queued === 0, 'the other batch is handed off');
    assert.ok(slowCalls().length <= 2, 'before the slow one has made its third call');
    await test.change(slow, batch.id, 'cancel');
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
