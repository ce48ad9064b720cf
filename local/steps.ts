/** The steps of `npm start`. */
import { reportOutdatedRuntime } from '../models/process/runtime.js';
import { issueConsoleLink } from '../models/rules/accounts/console-link.js';
import { provideCheckout } from './checkout/provide.js';
import { readDemoState } from './demo/demo-state.js';
import { demoWorks } from './demo/demo-works.js';
import { type Launch, startPart, together } from './processes/launch.js';
import { newLog } from './processes/log-files.js';
import { prepareTls } from './tls/local-tls.js';
import { nodeCommand, nodePart, type NodeScript } from './processes/node-parts.js';
import { loadSecrets } from './state/secrets.js';
import { providePostgres, provideTemporal } from './servers.js';
import { localAddress, type StartedServers, serviceEnvironment, settingsForCommands } from './service-environment.js';
import { summaryLines } from './output/summary.js';

/**
 * How long API and worker may finish their open work. The worker starts to stop at most 5 s after the API, and the servers take 5.5 s. So a
 * stop takes less than 20 s, unless calls to providers take longer.
 */
const drainMs = { api: 10_500, worker: 30_000 };

/** Starts the servers in parallel, migrates the schema, starts worker and API in parallel, and publishes the addresses. */
export async function startService(launch: Launch, port: number, giveUp: () => void): Promise<void> {
  const { plan, ports } = launch;
  reportOutdatedRuntime((line) => launch.output.note(line));
  const secrets = loadSecrets(plan.config.dataDir);
  const [postgres, temporal] = await together([providePostgres(launch, secrets.database_password), provideTemporal(launch)], giveUp);
  const embedded = plan.allEmbedded ? { secrets, demoReceiver: `127.0.0.1:${await ports.choose('demo_receiver')}` } : undefined;
  const made: StartedServers = { port, databaseUrl: postgres.url, temporalAddress: temporal.address, temporalUi: temporal.ui, embedded };
  if (embedded !== undefined) made.embedded = { ...embedded, checkout: await provideCheckout(launch, localAddress(plan, made)) };
  const { env, config } = serviceEnvironment(plan, made);
  const runScript = scriptRunner(launch, env);
  await runScript('database schema', 'models/migrate.js');
  const needsDemo = embedded !== undefined && (postgres.isNew || !(await hasDemo(plan.config.dataDir, postgres.url, config.secretKeys)));
  await together(
    [
      startWorker(launch, env),
      startNode(launch, { name: 'API', path: 'api/server.js', env }, drainMs.api + config.drainSeconds * 1000),
      needsDemo ? runScript('demo workspace', 'local/demo-workspace.js') : Promise.resolve(),
    ],
    giveUp,
  );
  tellAddresses(launch, made, { env, config });
}

async function hasDemo(dataDir: string, databaseUrl: string, secretKeys: readonly string[]): Promise<boolean> {
  const demo = readDemoState(dataDir);
  return demo !== undefined && demoWorks(databaseUrl, secretKeys, demo);
}

function scriptRunner(launch: Launch, env: NodeJS.ProcessEnv) {
  const log = newLog(launch.logDir, 'setup');
  return (name: string, path: string) =>
    launch.output.step(
      () => launch.run(nodeCommand({ name, path, env, log })),
      () => name,
    );
}

/** Starts the worker. It posts webhooks, so it must trust the certificate of the demo receiver. */
async function startWorker(launch: Launch, env: NodeJS.ProcessEnv): Promise<void> {
  const { plan, output } = launch;
  const worker = { name: 'worker', path: 'activities/worker.js' };
  if (!plan.allEmbedded) return startNode(launch, { ...worker, env }, drainMs.worker);
  const bundle = await prepareTls(plan.config.dataDir, env.NODE_EXTRA_CA_CERTS, (line) => output.note(line));
  return startNode(launch, { ...worker, env: { ...env, NODE_EXTRA_CA_CERTS: bundle } }, drainMs.worker);
}

function startNode(launch: Launch, script: Omit<NodeScript, 'log'>, drainTimeMs: number): Promise<void> {
  const part = nodePart({ ...script, log: newLog(launch.logDir, script.name.toLowerCase()) }, drainTimeMs);
  return launch.output.step(
    () => startPart(launch, part),
    () => script.name,
  );
}

function tellAddresses(
  { plan, output, record, logDir }: Launch,
  made: StartedServers,
  { env, config }: ReturnType<typeof serviceEnvironment>,
): void {
  const { temporalUi, temporalAddress } = made;
  const { publicUrl } = config;
  const addresses = { api: localAddress(plan, made), temporal_ui: temporalUi, demo_receiver: made.embedded?.demoReceiver ?? null };
  record.announce(addresses, settingsForCommands(plan.env, env));
  const demo = made.embedded === undefined ? undefined : readDemoState(plan.config.dataDir);
  const consoleToken = demo === undefined ? undefined : issueConsoleLink(config.jwtSecret, demo.email);
  const checkout = made.embedded?.checkout?.STRIPE_API_BASE;
  const lines = summaryLines({ publicUrl, checkout, temporalUi, temporalAddress, apiKey: demo?.api_key, consoleToken, logDir });
  for (const line of lines) output.plain(line);
}
