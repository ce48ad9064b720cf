/** The other alerts of a real service with real faults; see alerts-fire.test.ts. One service has all faults, because starting one takes long. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/network/free-port.js';
import { openSmallDisk, type SmallDisk } from '../chaos/stage/disk.js';
import { drop } from '../support/carriers/counterpart.js';
import { startTwilio, type TwilioCounterpart, twilioEnv } from '../support/carriers/twilio.js';
import { type Account, bearer, type Json, type RestClient, restClient, until } from '../support/client.js';
import { rows } from '../support/database.js';
import { whileLocked } from '../support/lock-table.js';
import { ofSlowMachine, type Prometheus, startPrometheus } from '../support/prometheus.js';
import { type Service, startService } from '../support/service.js';
import { clockFileEnv } from '../support/shift-clock.js';
import { watch } from '../support/temporal/watcher.js';
import { textOf } from './project.js';
import { allRules, hasPrometheus, ruleFiles } from './prometheus-rules.js';

const diskMegabytes = 16;
/** Twilio takes the message to this recipient, and its answer is lost. */
const recipientOfLost = '+15552010000';
/** More than the accept gate admits at once. */
const floodSize = 200;
/** Messages that become due while the worker is frozen. */
const lateSize = 15;
/** All of them are sent before that. */
const dueAfterMs = 6_000;
/** Above the objective of 10 s. A task of a frozen worker waits for its next worker for half of this at least, after 5 s in its own queue. */
const lateMs = 13_000;
/** From the start, because a worker that has compared balances once is believed for five minutes. */
const uncheckedLedger = ['TidingsWatcherFailing', 'TidingsLedgerUnchecked'];

describe('alerts on a service with failing servers', () => {
  let service: Service;
  let prometheus: Prometheus;
  let twilio: TwilioCounterpart;
  let client: RestClient;
  let account: Account;
  let disk: SmallDisk;
  let dueAt: number;
  const folder = mkdtempSync(join(tmpdir(), 'tidings-alerts-'));
  const clock = join(folder, 'clock');

  before(async function () {
    if (!hasPrometheus) this.skip();
    const [api, worker] = await Promise.all([freePort(), freePort()]);
    disk = openSmallDisk(join(folder, 'disk'), diskMegabytes);
    twilio = await startTwilio();
    service = await startService({
      withoutWorker: true,
      env: { ...twilioEnv(twilio), DATA_DIR: disk.folder, REPORT_TIMEOUT_SMS: '1', UNKNOWN_HANDOFF_TIMEOUT: '1' },
      apiEnv: { METRICS_PORT: String(api), ...clockFileEnv(clock) },
      workerEnv: { METRICS_PORT: String(worker - 1) },
    });
    // Before the first run of the watcher, so that no worker has compared balances yet.
    await rows(service.db, 'ALTER TABLE ledger_marks RENAME TO ledger_marks_away');
    prometheus = await startPrometheus({ 'tidings-api': [api], 'tidings-worker': [worker] }, ruleFiles.map(textOf));
    client = restClient(service.url, service.db);
    [account] = await Promise.all([client.signUp(), service.worker.start()]);
  });
  after(async () => {
    await prometheus?.stop();
    service?.worker.unfreeze(); // a frozen process does not end by SIGTERM
    await service?.stop();
    await twilio?.close();
    disk?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  // Each request with a JWT has a statement of its own, while look-ups of API keys share one.
  const reads = (count: number) =>
    Promise.all(Array.from({ length: count }, () => client.call('GET', '/api/v1/balance', { headers: bearer(account.token) })));
  const sends = (count: number, more: Json = {}) =>
    Array.from({ length: count }, () => {
      const body = { to: '+15552010001', channel: 'sms', content: { text: 'Hello' }, ...more };
      return client.call('POST', '/api/v1/messages/send', { body, headers: { 'X-API-Key': account.apiKey } });
    });

  it('alerts keep silent while a message is delivered', async () => {
    const { id } = await client.send(account);
    await client.messageUntil(account, id, ({ status }) => status === 'sent');
    const [taken] = twilio.taken;
    assert.ok(taken !== undefined);
    assert.equal(await twilio.report(taken, 'delivered'), 200);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    const delivered = 'sum(tidings_message_statuses_total{status="delivered"})';
    await until(async () => (await prometheus.value(delivered)) === 1, 'the delivery is scraped');
    const alerts = allRules().flatMap(({ alert = [] }) => alert);
    await prometheus.ends(alerts.filter((name) => !uncheckedLedger.includes(name) && !ofSlowMachine.has(name)));
  });

  it('alerts fire for steps of the watcher that fail, and end when they succeed', async () => {
    await watch(service);
    await prometheus.fires(['TidingsWatcherFailing', 'TidingsLedgerUnchecked']);
    await rows(service.db, 'ALTER TABLE ledger_marks_away RENAME TO ledger_marks');
    await watch(service);
    await prometheus.ends(uncheckedLedger);
  });

  it('an alert fires for a full disk', async function () {
    if (!disk.canBeFilled) this.skip();
    await prometheus.firesBy(['TidingsDiskNearlyFull'], () => disk.fill()).finally(() => disk.free());
  });

  it('an alert fires for a carrier whose answer is lost', () =>
    prometheus.firesBy(['TidingsHandoffUnknown'], () => {
      twilio.interfere = (response, { To }) => To === recipientOfLost && drop(response);
      return client.send(account, { to: recipientOfLost });
    }));

  it('alerts fire for delivery reports that are missing or match no message', () => {
    const form = { To: '+15552010002', From: '+15005550100', StatusCallback: `${service.url}/callbacks/twilio` };
    const unreported = async () => {
      const { id } = await client.send(account);
      const foreign = { sid: `SM${randomUUID()}`, status: 'sent', form, error_code: null };
      assert.equal(await twilio.report(foreign, 'delivered'), 200);
      await client.messageUntil(account, id, ({ status_detail }) => status_detail === 'unknown');
    };
    return prometheus.firesBy(['TidingsReportsMissing', 'TidingsReportsUnmatched'], unreported, { repeat: true });
  });

  it('alerts fire for slow, failed and refused sends while the worker is frozen', async () => {
    const areAcceptedInTime = async () => {
      dueAt = Date.now() + dueAfterMs;
      const scheduled_at = new Date(dueAt).toISOString();
      await Promise.all(Array.from({ length: lateSize }, () => client.send(account, { scheduled_at })));
      return Date.now() < dueAt;
    };
    await until(areAcceptedInTime, 'the late messages are accepted before they are due');
    const flood = async () => {
      service.worker.freeze();
      // A scheduled message has a workflow of its own, so that there are many tasks.
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      const answers = [...sends(lateSize, { scheduled_at: tomorrow }), ...sends(floodSize)];
      // The first value of a series is no increase.
      await until(async () => ((await prometheus.value('sum(tidings_shed_total)')) ?? 0) > 0, 'refused sends are scraped');
      answers.push(...sends(floodSize));
      await Promise.all(answers);
    };
    await prometheus.firesBy(
      [
        'TidingsAcceptSlowBurnFast',
        'TidingsAcceptSlowBurnSlow',
        'TidingsSendFailedBurnFast',
        'TidingsSendFailedBurnSlow',
        'TidingsShedding',
      ],
      flood,
    );
  });

  it('an alert fires for a pool that is full of waiting statements', () =>
    prometheus.firesBy(['TidingsDatabasePoolFull'], () => whileLocked(service.db, 'workspaces', 0.8, () => reads(60)), { repeat: true }));

  it('an alert fires for an event loop that stands still', () => {
    const standStill = async () => {
      service.api.freeze();
      await sleep(650); // below the timeout of the scrape
      service.api.unfreeze();
    };
    return prometheus.firesBy(['TidingsEventLoopBlocked'], standStill, { repeat: true });
  });

  it('alerts fire for late hand-offs and waiting tasks when the worker goes on', async () => {
    await until(() => Date.now() > dueAt + lateMs, 'the messages are late');
    await prometheus.firesBy(['TidingsHandOffSlowBurnFast', 'TidingsHandOffSlowBurnSlow', 'TidingsTasksWait'], () =>
      service.worker.unfreeze(),
    );
  });

  it('alerts fire for a database that refuses connections, and end when it is back', async () => {
    const name = new URL(service.ownerUrl).pathname.slice(1);
    const refuse = async () => {
      await rows(service.db, `ALTER DATABASE ${name} CONNECTION LIMIT 0`); // the owner is a superuser, who may still connect
      await rows(
        service.db,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename <> current_user',
      );
      writeFileSync(clock, '61000'); // a minute passes for the API
      await reads(20);
    };
    await prometheus.firesBy(['TidingsDatabaseErrors', 'TidingsServiceUnread'], refuse, { repeat: true });
    await rows(service.db, `ALTER DATABASE ${name} CONNECTION LIMIT -1`);
    await prometheus.ends(['TidingsServiceUnread']);
  });
});
