/**
 * Alerts of a real service with real faults, as a real Prometheus sees them; alerts-fire-servers.test.ts has the others. All faults but the last
 * are there at the same time, to save time.
 */
import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { Client } from '@temporalio/client';
import { boards } from '../../local/boards/index.js';
import { queues } from '../../workflows/contract.js';
import { type TwilioCounterpart, refuse, startTwilio, twilioEnv } from '../support/carriers/twilio.js';
import { type Account, bearer, type RestClient, restClient, until } from '../support/client.js';
import { rows } from '../support/database.js';
import { whileLocked } from '../support/lock-table.js';
import { scrape } from '../support/metrics-page.js';
import { freePort } from '../support/network/free-port.js';
import { answerWith, certificateFor, type Receiver, startReceiver } from '../support/network/receiver.js';
import { ofSlowMachine, type Prometheus, startPrometheus } from '../support/prometheus.js';
import { type Service, startService } from '../support/service.js';
import { shiftedEnv } from '../support/shift-clock.js';
import { watch } from '../support/temporal/watcher.js';
import { textOf } from './project.js';
import { allRules, hasPrometheus, ruleFiles, temporalMetrics } from './prometheus-rules.js';

const certificateDays = 5;
const behindMs = -60_000;
const events = 15;
/** More than TidingsNoReports permits. */
const unreported = 25;
/** From the start: the certificate of one of two addresses ends soon, one of two clocks is behind, mail server and Redis are down. */
const fromStart = ['TidingsCertificateEnds', 'TidingsClockOff', 'TidingsMailsUnsent', 'TidingsRateLimitStoreDown'];

describe('alerts on a real service', function () {
  let service: Service;
  let prometheus: Prometheus;
  let twilio: TwilioCounterpart;
  let receiver: Receiver;
  let wellReceiver: Receiver;
  let client: RestClient;
  let account: Account;
  let ports: { api: number; worker: number };

  before(async function () {
    if (!hasPrometheus) this.skip();
    const [api, worker, mail, redis, certificate] = await Promise.all([
      freePort(),
      freePort(),
      freePort(),
      freePort(),
      certificateFor({ addresses: ['127.0.0.1'], days: certificateDays }),
    ]);
    ports = { api, worker };
    [twilio, receiver, wellReceiver] = await Promise.all([startTwilio(), startReceiver(answerWith(500), certificate), startReceiver()]);
    const addresses = { PUBLIC_URL: `https://127.0.0.1:${receiver.port}`, CALLBACK_URL: `https://127.0.0.1:${wellReceiver.port}` };
    service = await startService({
      env: { ...twilioEnv(twilio), SMTP_URL: `smtp://127.0.0.1:${mail}?tls=optional` },
      apiEnv: { METRICS_PORT: String(api), ...addresses, REDIS_URL: `redis://127.0.0.1:${redis}`, TRUSTED_PROXIES: 'none' },
      workerEnv: { METRICS_PORT: String(worker - 1), ...shiftedEnv(behindMs) },
    });
    client = restClient(service.url, service.db);
    account = await client.signUp();
    prometheus = await startPrometheus({ 'tidings-api': [api], 'tidings-worker': [worker] }, ruleFiles.map(textOf));
  });
  after(async () => {
    await prometheus?.stop();
    await service?.stop();
    await Promise.all([twilio?.close(), receiver?.close(), wellReceiver?.close()]);
  });

  it('alerts fire for an ending certificate, a wrong clock and dead mail and Redis servers, and for nothing else', async () => {
    await client.send(account, { channel: 'email', to: 'ada@example.com', content: { subject: 'x', text: 'x' } });
    await prometheus.fires(['TidingsCertificateEnds', 'TidingsClockOff', 'TidingsMailsUnsent', 'TidingsRateLimitStoreDown']);
    await until(async () => (await prometheus.value('up{job="tidings-worker"}')) === 1, 'the worker is scraped');
    const alerts = allRules().flatMap(({ alert, expr }) => (alert === undefined ? [] : { alert, expr }));
    await prometheus.ends(alerts.flatMap(({ alert }) => (fromStart.includes(alert) || ofSlowMachine.has(alert) ? [] : alert)));
    const wellKnown = [
      'tidings_certificate_expiry_timestamp_seconds{address="callback"}',
      'tidings_clock_offset_seconds{job="tidings-api"}',
    ];
    for (const expr of wellKnown) await until(async () => (await prometheus.value(expr)) !== undefined, `${expr} is scraped`);
    for (const { alert, expr } of alerts)
      if (fromStart.includes(alert)) assert.equal(await prometheus.value(`count(${expr})`), 1, `${alert}: one of two is well`);
  });

  it('an alert fires when statements wait for a lock that somebody holds', async () => {
    // Each request with a JWT has a statement of its own, while look-ups of API keys share one.
    const read = () => client.call('GET', '/api/v1/balance', { headers: bearer(account.token) });
    const readMany = () => Promise.all(Array.from({ length: 10 }, read));
    await prometheus.firesBy(['TidingsDatabaseSlow'], () => whileLocked(service.db, 'workspaces', 0.8, readMany), { repeat: true });
  });

  it('alerts fire for a carrier that sends no reports, and for callbacks that are refused', async () => {
    const forge = () => client.call('POST', '/callbacks/twilio', { body: 'MessageSid=x' });
    const sendMany = () => Promise.all(Array.from({ length: unreported }, () => client.send(account)));
    await client.send(account);
    // The first value of a series is no increase.
    const scraped = 'sum(tidings_handoffs_total{channel="sms", outcome="accepted"})';
    await until(async () => (await prometheus.value(scraped)) === 1, 'the first hand-off is scraped');
    await prometheus.firesBy(['TidingsNoReports'], sendMany);
    await prometheus.firesBy(['TidingsCallbacksRefused'], forge, { repeat: true });
  });

  it('alerts fire for a carrier, a receiver, a balance, an inbox and a workflow that are at fault', async () => {
    const { connection, namespace } = service.temporal;
    const { workflow } = new Client({ connection, namespace });
    const workflowId = uuidv7();
    const fault = async () => {
      twilio.interfere = (response) => refuse(response, 503, 20503);
      await client.hook(account, receiver.url);
      const sends = Array.from({ length: events }, async (_, count) => {
        await client.send(account, { to: `+1555201${String(count).padStart(4, '0')}` });
        await client.send(account, { channel: 'email', to: `r${count}@example.com`, content: { subject: 'x', text: 'x' } });
      });
      await Promise.all(sends);
      await rows(service.db, `UPDATE messages SET created_at = created_at - interval '1 hour' WHERE status = 'queued'`);
      await rows(service.db, 'UPDATE workspaces SET balance = balance + 1000 WHERE id = $1', [account.workspaceId]);
      await rows(
        service.db,
        `INSERT INTO delivery_reports (id, provider, provider_message_id, status, occurred_at, received_at, raw, group_id)
         VALUES ($1::uuid, 'sandbox', $1::text, 'delivered', now(), now() - interval '10 minutes', '{}', $1::uuid)`,
        [uuidv7()],
      );
      await workflow.start('noSuchWorkflow', { taskQueue: queues.messages, workflowId });
      await watch(service);
    };
    await prometheus.firesBy(
      [
        'TidingsCarrierFailing',
        'TidingsHandOffStuck',
        'TidingsReceiverDown',
        'TidingsLedgerDrift',
        'TidingsInboxStuck',
        'TidingsWorkflowTaskFailing',
      ],
      fault,
    );
    await workflow.getHandle(workflowId).terminate();
  });

  it('the expressions of the boards are valid, and three quarters of them have values', async () => {
    const queries = boards.flatMap(({ name, panels }) =>
      panels.flatMap(({ title, queries: own }) => own.map(([expr]) => ({ name, title, expr }))),
    );
    const empty: string[] = [];
    for (const { name, title, expr } of queries) if ((await prometheus.value(expr)) === undefined) empty.push(`${name}: ${title}`);
    // What has not happened in this run has no values: limits, sheds, batches, missing reports, failed workflows and requests of the SDK.
    assert.ok(empty.length < queries.length / 4, empty.join('\n'));
  });

  it('alerts fire for a dead worker, and end when it is back', async () => {
    const { series } = await scrape(ports.worker);
    const names = new Set([...series.keys()].map((key) => key.replace(/(_bucket|_sum|_count)?(\{.*)?$/, '')));
    const expected = temporalMetrics.filter((name) => !/failed|failure|miss/.test(name));
    assert.deepEqual(
      expected.filter((name) => !names.has(name)),
      [],
    );
    const fault = async () => {
      await service.worker.kill();
      // What nobody does from now on, as it is after ten minutes.
      const due = "now() - interval '10 minutes'";
      await rows(service.db, `UPDATE message_groups SET look_at = ${due} WHERE closed_at IS NULL`);
      await rows(service.db, `UPDATE deliveries SET carried = false, next_attempt_at = ${due} WHERE status = 'pending'`);
      await rows(service.db, 'UPDATE webhooks SET resume_at = NULL'); // what waits for a receiver that fails is not overdue
      await rows(service.db, `UPDATE watcher SET round_at = ${due}`);
      await rows(service.db, `UPDATE audits SET began_at = now() - interval '3 days'`);
    };
    await prometheus.firesBy(
      [
        'TidingsProcessDown',
        'TidingsWorkerLost',
        'TidingsNoWorker',
        'TidingsMessagesOverdue',
        'TidingsWebhooksStuck',
        'TidingsWatcherLate',
        'TidingsAuditLate',
      ],
      fault,
    );
    await service.worker.start();
    await prometheus.ends(['TidingsProcessDown', 'TidingsNoWorker', 'TidingsWatcherLate']);
  });
});
