/** The installation of a run: a whole service, two carrier accounts, receivers of webhooks and tenants; and a Prometheus that scrapes it. */
import { type Account, openAccount } from '../../../harness/load/account.js';
import { createSender, type Sender } from '../../../harness/load/sender.js';
import type { Cleanup } from '../../../harness/stage/cleanup.js';
import { type Service, startService } from '../../../harness/stage/service.js';
import { connect, type Database, select } from '../../../models/db/database.js';
import { freePort } from '../../support/network/free-port.js';
import { workerMetricsPort } from '../../../models/settings/operator-settings.js';
import { ruleFiles } from '../../deploy/prometheus-rules.js';
import { textOf } from '../../deploy/project.js';
import { startTwilio, type TwilioCounterpart, twilioEnv } from '../../support/carriers/twilio.js';
import type { Receiver } from '../../support/network/receiver.js';
import { type Prometheus, startPrometheus } from '../../support/prometheus.js';
import { startTrustedReceiver } from '../receivers.js';
import { withShortTimes } from './read-board.js';

export interface Installation {
  service: Service;
  db: Database;
  /** Two accounts that share the SMS; WhatsApp has the first one only. */
  first: TwilioCounterpart;
  backup: TwilioCounterpart;
  /** Receivers of the shop's events. */
  orders: Receiver;
  customers: Receiver;
  former: Receiver;
  /** The tenants: one with ordinary traffic, one without credits, and one that asks too often. */
  shop: Tenant;
  poor: Tenant;
  eager: Tenant;
  /** Of the API; the worker has the next one. */
  metricsPort: number;
}

export interface Tenant extends Sender {
  apiKey: string;
}

/** Waits that last hours in production end within the run. */
const settings = {
  PROVIDER_SMS: 'twilio=3,backup=1',
  PROVIDER_ACCOUNTS: 'backup=twilio',
  BACKUP_TWILIO_FROM: '+15005550200',
  RATE_LIMIT_API: '900/60',
  RATE_LIMIT_AUTH: '1000/60',
  REPORT_TIMEOUT_SMS: '45',
  REPORT_TIMEOUT_WHATSAPP: '45',
  REPORT_TIMEOUT_EMAIL: '45',
  ROUTE_WINDOW: '10',
  SANDBOX_DELAY_MS: '400',
  UNKNOWN_HANDOFF_TIMEOUT: '20',
  WEBHOOK_RETRY_DELAYS: '5,10,20,40,80',
};

/** @param more settings of the service */
export async function startInstallation(dataDir: string, cleanup: Cleanup, more: NodeJS.ProcessEnv = {}): Promise<Installation> {
  const [first, backup] = await Promise.all([startTwilio(), startTwilio()]);
  cleanup.add(() => Promise.all([first.close(), backup.close()]));
  // The worker takes the port after it, which is most probably free too.
  const port = await freePort();
  const env = { ...twilioEnv(first), ...settings, ...more, BACKUP_TWILIO_API_BASE: backup.url, METRICS_PORT: String(port) };
  const service = await startService(dataDir, env, cleanup);
  const db = connect(service.databaseUrl, 1);
  cleanup.add(() => db.close());
  const receiver = () => startTrustedReceiver(dataDir, cleanup);
  const [orders, customers, former] = [await receiver(), await receiver(), await receiver()];
  const shop = await openAccount(service.baseUrl, service.databaseUrl);
  await shop.subscribe(orders.url, { description: 'Order system' });
  await shop.subscribe(customers.url, { description: 'Customer records', events: ['message.delivered', 'message.failed'] });
  await shop.subscribe(former.url, { description: 'Former shop', events: ['message.failed'] });
  const eager = await openAccount(service.baseUrl, service.databaseUrl);
  const poor = await openAccount(service.baseUrl);
  await select(db, 'UPDATE workspaces SET email_verified = true RETURNING id');
  const tenant = ({ apiKey }: Account): Tenant => ({ apiKey, ...createSender(service.baseUrl, apiKey) });
  const tenants = { shop: tenant(shop), poor: tenant(poor), eager: tenant(eager) };
  return { service, db, first, backup, orders, customers, former, ...tenants, metricsPort: port };
}

/** Starts a Prometheus that scrapes it and evaluates our rules. */
export async function startScraping({ metricsPort }: Installation, cleanup: Cleanup): Promise<Prometheus> {
  const prometheus = await startPrometheus(
    {
      'tidings-api': [{ port: metricsPort, instance: 'api' }],
      'tidings-worker': [{ port: workerMetricsPort(metricsPort), instance: 'worker' }],
    },
    ruleFiles.map(textOf).map(withShortTimes),
    true,
  );
  cleanup.add(() => prometheus.stop());
  return prometheus;
}
