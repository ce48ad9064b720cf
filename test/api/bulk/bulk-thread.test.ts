import assert from 'node:assert/strict';
import { type BulkThread, type BulkThreadOptions, createBulkThread } from '../../../api/bulk-thread/create-bulk-thread.js';
import { dataIn } from '../../../api/http/reply.js';
import { UrgentWork } from '../../../models/flow/give-way.js';
import { systemOrigin } from '../../../models/rules/audit/origin.js';
import { testEnv } from '../../support/config.js';
import { temporalAway } from '../accept/use-acceptance.js';
import { whileReplaced } from '../start-app.js';
import { useApi } from '../use-api.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const path = '/api/v1/messages/bulk';
const batch = { channel: 'sms', content: { text: 'Hi {{ name | there }}' }, recipients: ['+15550000001', '+15550000002'] };

describe('bulk sends in a thread of their own', () => {
  let thread: BulkThread;
  after(() => thread.stop()); // before its database is dropped
  const app = useApi({ checksBooks: true });
  let key: string;
  const options = (): BulkThreadOptions => ({
    env: testEnv({ DATABASE_URL: app.deps.config.databaseUrl }),
    deps: app.deps,
    urgent: new UrgentWork(),
    sends: { isRecent: false },
  });
  before(() => {
    thread = createBulkThread(options());
  });
  beforeEach(async () => {
    ({ key } = await app.account({ balance: 10_000 }));
  });
  const post = async (body: object, headers: Record<string, string> = {}, to = path) =>
    whileReplaced(app.deps, 'bulkThread', thread, () => app.call('POST', to, { key, body, headers }));

  it('201 for a bulk send in the thread, and a repeated one is marked as replayed', async () => {
    const first = await post(batch, { 'Idempotency-Key': 'k' });
    const again = await post(batch, { 'Idempotency-Key': 'k' });
    assert.deepEqual([first.status, first.body.data.batch.accepted, first.headers.get('idempotent-replayed')], [201, 2, null]);
    assert.deepEqual([again.status, again.body, again.headers.get('idempotent-replayed')], [201, first.body, 'true']);
    const { body } = await app.call('GET', `${path}/${first.body.data.batch.id}`, { key });
    assert.deepEqual([body.data.batch.status, body.data.batch.credits_used], ['sending', toCredits(2 * prices.sms)]);
  });

  it('200 for a preview in the thread of bulk sends', async () => {
    const { status, body } = await post(batch, {}, '/api/v1/messages/preview');
    assert.deepEqual([status, body.data.credits, body.data.messages.length], [200, toCredits(2 * prices.sms), 2]);
  });

  it('400, 402 and 422 in the thread of bulk sends have the words of the main thread', async () => {
    await post(batch, { 'Idempotency-Key': 'taken' });
    for (const [status, changes, headers] of [
      [400, { recipients: ['+15550000001', 'nobody', {}], rate: -1 }, {}],
      [400, '{', {}],
      [402, { content: { text: 'a'.repeat(1_600) } }, {}],
      [422, { content: { text: 'another' } }, { 'Idempotency-Key': 'taken' }],
    ] as const) {
      const body = (typeof changes === 'string' ? changes : { ...batch, ...changes }) as object;
      const [{ request_id: _there, ...there }, { request_id: _here, ...here }] = [
        (await post(body, headers)).body,
        (await app.call('POST', path, { key, body, headers })).body,
      ];
      assert.deepEqual(there, here);
      assert.equal((await post(body, headers)).status, status);
    }
  });

  it('200 for a preview of a single send, for which no thread starts', async () => {
    const runHandler = () => assert.fail('the thread would start');
    const preview = () =>
      app.call('POST', '/api/v1/messages/preview', { key, body: { channel: 'sms', to: '+15550000001', content: { text: 'Hi' } } });
    const { status, body } = await whileReplaced(app.deps, 'bulkThread', { runHandler }, preview);
    assert.deepEqual([status, body.data.messages[0].text], [200, 'Hi']);
  });

  it('a preview fails when the thread of bulk sends runs out of memory, and the next one is served', async () => {
    const own = createBulkThread({ ...options(), heap: { maxMegabytes: 32 } }); // the program alone needs 24
    const origin = systemOrigin('test');
    const caller = {
      workspaceId: '0198c5b1-0a10-7f3e-8b1d-000000000001',
      balance: 10_000,
      spendLeft: null,
      allowedCountries: null,
      isVerified: true,
      isSuspended: false,
      actor: origin.actor,
      credential: { keyId: null, token: null },
      channels: null,
      session: null,
    };
    const request = (body: string) => ({
      caller,
      origin,
      params: {},
      query: {},
      body: Buffer.from(body),
      idempotencyKey: null,
      url: '',
      headers: {},
      newId: '',
      traceparent: null,
    });
    const huge = `{"channel":"sms","content":{"text":"x"},"recipients":[${'{},'.repeat(1_300_000)}{}]}`;
    await assert.rejects(own.runHandler('previewMessages', request(huge)), { code: 'internal_error' });
    const small = await own.runHandler('previewMessages', request(JSON.stringify(batch)));
    assert.equal((dataIn(small) as { messages: unknown[] }).messages.length, 2);
    await own.stop();
  });

  it('500 with Retry-After for a bulk send without its workflow, and nothing is charged', async () => {
    const answer = await whileReplaced(app.deps.temporal, 'acceptBatch', temporalAway, () => post(batch));
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [500, '1']);
    assert.equal((await app.call('GET', path, { key })).body.data.pagination.total, 0);
  });
});
