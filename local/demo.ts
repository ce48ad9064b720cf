/** `npm run demo`: shows the life of a message once, with the running service or one that it starts. Entry point: `node dist/local/demo.js`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { withEnvFile } from '../models/settings/environment.js';
import { ConfigError, loadConfig } from '../models/settings/config.js';
import { withDeadline } from './processes/deadline.js';
import { enterWorkspace } from './demo/demo-account.js';
import { DemoClient } from './demo/demo-client.js';
import { DemoReceiver } from './demo/demo-receiver.js';
import { tellStory } from './demo/demo-story.js';
import { Output } from './output/output.js';
import { type Addresses, runningAddresses } from './state/run-record.js';
import { isUnset } from './plan/plan.js';
import { reasonOf, StartError } from './output/start-error.js';

const storyTimeoutMs = 20_000;
const output = new Output(process.stdout);
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interruption.abort(new StartError(`Interrupted (${signal}).`)));
}

let service: ChildProcess | undefined;
try {
  const env = withEnvFile(process.env);
  const { dataDir } = loadConfig(env, []);
  if (runningAddresses(dataDir) === undefined) {
    if (!isUnset(env.DATABASE_URL) || !isUnset(env.TEMPORAL_ADDRESS)) throw notEmbedded(); // a start would migrate the user's database
    service = spawnService();
    await untilReady(service);
  }
  await demonstrate(dataDir, runningAddresses(dataDir));
  output.plain('\nThe demo is complete.\n');
} catch (error) {
  output.fault(explain(error));
  process.exitCode = 1;
} finally {
  await stopService(service);
}

async function demonstrate(dataDir: string, addresses: Addresses | undefined): Promise<void> {
  if (addresses === undefined) throw new StartError('The service is not running.');
  const receiverAddress = addresses.demo_receiver;
  if (receiverAddress === null) throw notEmbedded();
  const receiver = new DemoReceiver(dataDir);
  await receiver.listen(Number(receiverAddress.split(':')[1]));
  try {
    await withDeadline(interruption.signal, storyTimeoutMs, async (signal) => {
      const client = new DemoClient(addresses.api, signal);
      const token = await enterWorkspace(client, dataDir, output);
      await tellStory({ client, receiver, receiverAddress, output, signal }, token);
    });
  } finally {
    receiver.close();
  }
}

function notEmbedded(): StartError {
  return new StartError('The demo needs an embedded service: unset DATABASE_URL and TEMPORAL_ADDRESS.');
}

/** The service also ends if this process is killed, because its message channel closes then. */
function spawnService(): ChildProcess {
  const script = resolve(import.meta.dirname, 'start.js');
  return spawn(process.execPath, ['--enable-source-maps', script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

async function untilReady(child: ChildProcess): Promise<void> {
  const { signal } = interruption;
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new StartError('The service did not start.');
  });
  await Promise.race([once(child, 'message', { signal }), ended]);
}

async function stopService(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function explain(thrown: unknown): string {
  const error = thrown instanceof Error && thrown.name === 'AbortError' ? thrown.cause : thrown;
  if (error instanceof StartError || error instanceof ConfigError) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return `The demo did not finish within ${storyTimeoutMs / 1000} s.`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return 'Another demo is running: try again when it has finished.';
  return `The demo failed: ${reasonOf(error)}`;
}
