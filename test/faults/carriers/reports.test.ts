import assert from 'node:assert/strict';
import type { Provider, Providers } from '../../../activities/handoff/providers/provider.js';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { type Account, type RestClient, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { startReceiver } from '../../support/network/receiver.js';
import { adminText } from '../../support/run-admin.js';
import { type Service, startService } from '../../support/service.js';
import { describeInShapes } from '../../support/rows/shapes.js';
import { withSandbox } from '../../support/carriers/stub-provider.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

/** What the provider does with the next hand-offs, after the sandbox has taken them. */
let afterTaking: (outcome: Awaited<ReturnType<Provider['send']>>) => ReturnType<Provider['send']> = async (outcome) => outcome;

const meddle = (providers: Providers): Providers =>
  withSandbox(providers, (sandbox) => async (message, signal) => afterTaking(await sandbox.send(message, signal)));

const hasRepeats = `SELECT 1 FROM delivery_reports WHERE provider_message_id = $1 AND status = 'failed' AND repeats = 1`;

describeInShapes('a provider', (env, shape) => {
  let service: Service;
  let client: RestClient;
  before(async () => {
    service = await startService({ isHere: true, wrapProviders: meddle, env: { REPORT_TIMEOUT_SMS: '1', SANDBOX_DELAY_MS: '1', ...env } });
    client = restClient(service.url);
  });
  beforeEach(() => {
    afterTaking = async (outcome) => outcome;
  });
  afterEach(() => assertBooks(service.db));
  after(() => service.stop());

  it(`a message is sent and delivered when its report arrives before the answer${shape}`, async () => {
    const { account, receiver } = await subscribed();
    afterTaking = async (outcome) => {
      await until(async () => (await rows(service.db, 'SELECT 1 FROM delivery_reports')).length > 0, 'the report is in the inbox');
      return outcome;
    };
    const { id } = await client.send(account);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    await until(
      async () => (await service.temporal.client.workflow.getHandle(`msg:${id}`).describe()).status.name === 'COMPLETED',
      'the workflow closes',
    );
    const events = await receiver.untilReceived(3);
    assert.deepEqual(
      events.map(({ body }) => JSON.parse(body).event),
      ['message.queued', 'message.sent', 'message.delivered'],
    );
    await receiver.close();
  });

  it(`a message is handed off and charged once after a lost answer, with the same key${shape}`, async () => {
    const account = await client.signUp();
    let lost = 0;
    afterTaking = async (outcome) => {
      lost += 1;
      return lost === 1 ? { outcome: 'unknown', detail: 'reset' } : outcome;
    };
    const { id } = await client.send(account, { to: '+15005550002' });
    const message = await client.messageUntil(
      account,
      id,
      ({ status_detail }) => status_detail === 'awaiting_report' || status_detail === 'unknown',
    );
    assert.equal(lost, 2);
    const taken = await rows<{ id: string }>(service.db, 'SELECT id FROM sandbox_messages WHERE idempotency_key = $1', [id]);
    assert.deepEqual(
      taken.map((row) => row.id),
      [message.provider_message_id],
    );
    const attempts = await rows<{ outcome: string }>(
      service.db,
      'SELECT outcome FROM send_attempts WHERE message_id = $1 ORDER BY number',
      [id],
    );
    assert.deepEqual(
      attempts.map(({ outcome }) => outcome),
      ['unknown', 'accepted'],
    );
  });

  it(`a message is delivered by its report after an answer is lost for good${shape}`, async () => {
    const account = await client.signUp();
    afterTaking = async () => ({ outcome: 'unknown', detail: 'reset' });
    const { id } = await client.send(account);
    const message = await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    assert.notEqual(message.sent_at, null);
    assert.equal(message.credits_used, toCredits(prices.sms));
  });

  it(`a message is delivered once by a report after its workflow has closed${shape}`, async () => {
    const { account, receiver } = await subscribed();
    const { id } = await client.send(account, { to: '+15005550002' });
    const message = await client.messageUntil(account, id, ({ status_detail }) => status_detail === 'unknown');
    await until(
      async () => (await service.temporal.client.workflow.getHandle(`msg:${id}`).describe()).status.name === 'COMPLETED',
      'the workflow closes',
    );
    const report = {
      id: message.provider_message_id,
      reference: id,
      status: 'delivered',
      error_code: null,
      occurred_at: new Date().toISOString(),
    };
    for (let time = 0; time < 3; time += 1) assert.equal((await callback([report])).status, 200);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    const events = await receiver.untilReceived(3);
    assert.equal(JSON.parse(events[2]?.body ?? '').event, 'message.delivered');
    assert.equal((await rows(service.db, 'SELECT 1 FROM events WHERE message_id = $1', [id])).length, 3);
    await receiver.close();
  });

  it(`a message is corrected to delivered by a late report, and a repeated failure changes nothing${shape}`, async () => {
    const account = await client.signUp();
    const { id } = await client.send(account, { to: '+15005550007' });
    const failed = await client.messageUntil(account, id, ({ status }) => status === 'failed');
    const report = { id: failed.provider_message_id, reference: id, error_code: null, occurred_at: new Date().toISOString() };
    await callback([{ ...report, status: 'delivered' }]);
    const corrected = await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    assert.deepEqual([corrected.error_code, corrected.failed_at], [null, null]);
    await callback([{ ...report, status: 'failed', error_code: '30008' }]);
    await until(async () => (await rows(service.db, hasRepeats, [failed.provider_message_id])).length === 1, 'the repetition is counted');
    assert.equal((await client.messageUntil(account, id, () => true)).status, 'delivered');
  });

  it(`a message stays delivered after a later failure, whose report is ignored${shape}`, async () => {
    const account = await client.signUp();
    const { id } = await client.send(account);
    const { provider_message_id } = await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    const report = { id: provider_message_id, reference: id, error_code: '30008', occurred_at: new Date().toISOString() };
    await callback([{ ...report, status: 'failed' }]);
    const failure = `SELECT outcome, reason FROM delivery_reports WHERE provider_message_id = $1 AND status = 'failed' AND applied_at IS NOT NULL`;
    await until(async () => (await rows(service.db, failure, [provider_message_id])).length === 1, 'the report is handled');
    assert.deepEqual(await rows(service.db, failure, [provider_message_id]), [{ outcome: 'ignored', reason: 'backwards' }]);
    assert.equal((await client.messageUntil(account, id, () => true)).status, 'delivered');
  });

  it(`a report with a wrong signature gets 403, and one with an unknown id waits in the inbox${shape}`, async () => {
    const unknown = { id: '0190a5a8-0000-7000-8000-000000000001', reference: '0190a5a8-0000-7000-8000-000000000002' };
    const report = { ...unknown, status: 'delivered', error_code: null, occurred_at: new Date().toISOString() };
    const inbox = () => rows(service.db, 'SELECT 1 FROM delivery_reports WHERE provider_message_id = $1', [unknown.id]);
    const forged = await callback([report], 'another-secret-key-another-secret-key');
    assert.deepEqual([forged.status, await inbox()], [403, []]);
    assert.equal((await callback([report])).status, 200);
    assert.equal((await inbox()).length, 1);
  });

  it(`a message is delivered when an operator replays an unmatched report${shape}`, async () => {
    const { account, receiver } = await subscribed();
    const { id } = await client.send(account, { to: '+15005550002' });
    const message = await client.messageUntil(account, id, ({ status_detail }) => status_detail === 'unknown');
    const about = { id: message.provider_message_id, reference: id, error_code: null, occurred_at: new Date().toISOString() };
    await rows(service.db, `UPDATE messages SET provider_message_id = 'misread' WHERE id = $1`, [id]);
    assert.equal((await callback([{ ...about, status: 'delivered' }])).status, 200);
    await rows(service.db, 'UPDATE messages SET provider_message_id = $2 WHERE id = $1', [id, about.id]);
    const { temporalNamespace: TEMPORAL_NAMESPACE } = service.config;
    const command = (...args: string[]) => adminText({ db: service.db, env: { TEMPORAL_NAMESPACE } }, 'replay-reports', ...args);
    assert.match(await command('--since', 'yesterday'), /--since must be a time such as/);
    assert.match(await command('--since', '2026-11-21', '--until', '2026-11-20'), /--since must be before --until/);
    assert.match(await command('--provider', 'nope'), /the provider account "nope" is stored; the configured accounts are sandbox/);
    assert.match(
      await command('--unmatched', '--provider', 'sandbox'),
      /^Applied \d+ reports? again, \d+ of them without a matching message\./, // on a slow machine it adds how many wait
    );
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    const events = await receiver.untilReceived(3);
    assert.equal(JSON.parse(events[2]?.body ?? '').event, 'message.delivered');
    await receiver.close();
  });

  async function subscribed() {
    const receiver = await startReceiver();
    const account: Account = await client.signUp();
    await client.hook(account, receiver.url);
    return { account, receiver };
  }

  async function callback(reports: object[], secretKey = service.config.secretKey) {
    const body = JSON.stringify({ reports });
    return client.call('POST', '/callbacks/sandbox', { body, headers: signSandboxCallback(secretKey, body) });
  }
});
