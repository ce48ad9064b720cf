import assert from 'node:assert/strict';
import { connectTemporal } from '../../../api/outside/temporal.js';
import { buildBatch } from '../../support/rows/batches.js';
import type { Provider, Providers } from '../../../activities/handoff/providers/provider.js';
import { smtpAdapter } from '../../../activities/handoff/providers/smtp.js';
import { type MailServer, startSmtp } from '../../support/carriers/smtp.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';
import { phones } from '../../support/bulk-requests.js';
import { until } from '../../support/client.js';
import { BatchService, Turnstile, untilStill } from './batch-service.js';

describe('a batch at a mail server', () => {
  const test = new BatchService();
  let server: MailServer;
  let calls = 0;
  let callsMax = 0;
  before(async () => {
    server = await startSmtp();
    const smtp = smtpAdapter({ name: 'smtp', kind: 'smtp', url: server.url, from: 'hello@example.test' }, 'http://localhost:3000');
    const counting: Provider = {
      ...smtp,
      send: (...args) => {
        callsMax = Math.max(callsMax, ++calls);
        return smtp.send(...args).finally(() => (calls -= 1));
      },
    };
    await test.start(({ accounts, routes }) => ({
      accounts: new Map([...accounts, [counting.name, counting]]),
      routes: { ...routes, email: [{ account: counting.name, weight: 1 }] },
    }));
  });
  after(async () => {
    await test.service.stop();
    await server.close();
  });

  it('the calls of a batch at a mail server exceed its connections by less than one round, so none waits for long', async () => {
    const account = await test.client.signUp();
    const recipients = Array.from({ length: 900 }, (_, index) => ({ to: `ada${index}@example.org` }));
    const id = await test.bulk(account, recipients, { channel: 'email', content: { subject: 'Hello', text: 'Hello' } });
    assert.equal((await test.settled(account, id)).counts.sent, 900);
    const [connections, round] = [10, 25];
    assert.ok(callsMax >= round && callsMax < connections + round, `${callsMax} calls at once`);
    assert.equal(server.received.length, 900);
  });
});

describe('batches at a carrier that does not respond', () => {
  const test = new BatchService();
  let turnstile = new Turnstile();
  const slow = stubProvider(
    async ({ id }) => {
      await turnstile.pass();
      return { outcome: 'accepted', provider_message_id: `slow-${id}` };
    },
    { name: 'slow' },
  );
  const withSlow = ({ accounts, routes }: Providers): Providers => ({
    accounts: new Map([...accounts, [slow.name, slow]]),
    routes: { ...routes, email: [{ account: slow.name, weight: 1 }] },
  });
  before(() => test.start(withSlow));
  beforeEach(() => {
    turnstile = new Turnstile();
    slow.calls.length = 0;
  });
  afterEach(() => turnstile.open());
  after(() => test.service.stop());

  it('batches whose carrier does not respond keep no batch at another carrier waiting', async () => {
    const [account, other] = [await test.client.signUp(), await test.client.signUp()];
    const isQueued = async (owner: typeof account, id: string) => (await test.get(owner, id)).counts.queued > 0;
    const content = { channel: 'email', content: { subject: 'Hello', text: 'Hello' } };
    const slots = 8;
    const waiting = await Promise.all(Array.from({ length: slots + 2 }, () => test.bulk(account, [{ to: 'ada@example.org' }], content)));
    await until(() => slow.calls.length >= slots, 'the slots of the worker are taken');
    const id = await test.bulk(other, phones(10));
    await until(async () => !(await isQueued(other, id)), 'the other batch is handed off');
    turnstile.open();
    await until(async () => !(await Promise.all(waiting.map((batch) => isQueued(account, batch)))).includes(true), 'all are handed off');
  });

  it('batches of two workspaces at a slow carrier get the same number of slots', async () => {
    const temporal = connectTemporal(test.service.config);
    const begin = async (pages: number) => {
      const { workspaceId } = await test.client.signUp();
      const batch = await buildBatch(test.service.db, workspaceId, Array<number>(pages).fill(1), { channel: 'email' });
      await temporal.acceptBatch({ batchId: batch.id, workspaceId, channel: 'email', traceparent: null });
      return batch;
    };
    const early = await begin(16);
    const slots = await untilStill(() => slow.calls.length);
    const late = await begin(8);
    await until(
      async () => (await test.pagesWith(late, 'Completed')) === late.pages.length,
      'each page of the later batch gave its slot back',
    );
    for (let count = slots; count < slots + 8; ) {
      turnstile.letOnePass();
      count += 1;
      await until(() => slow.calls.length === count, 'a slot is free for the next page');
    }
    const shares = [early, late].map(
      (batch) => slow.calls.slice(slots).filter((id) => batch.pages.some(({ ids }) => ids.includes(id))).length,
    );
    assert.ok(Math.min(...shares) >= 3, `of the next hand-offs ${shares.join(' and ')} were of the two batches`);
    turnstile.open();
    await until(() => slow.calls.length === early.pages.length + late.pages.length, 'all are handed off');
    await temporal.close();
  });
});
