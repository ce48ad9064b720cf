/** A Temporal server of one test file's own, whose settings would be felt by all other tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporal } from '../../local/find-temporal.js';
import { temporalPart } from '../../local/temporal.js';
import { untilTemporalServes } from '../../local/temporal-probe.js';
import { freePort } from './free-port.js';
import { freshNamespace, type TestTemporal } from './temporal.js';

const startMsMax = 60_000;

/** @param dynamicConfig as `name=value` */
export async function ownTemporal(dynamicConfig: readonly string[]): Promise<TestTemporal> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tidings-temporal-'));
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  const noRun = () => Promise.reject(new Error('the program is there: the run has started it already'));
  const found = await findTemporal({ env: { PATH, HOME, XDG_CACHE_HOME }, logDir: dataDir, say: () => undefined, run: noRun });
  const [port, uiPort] = await Promise.all([freePort(), freePort()]);
  const { command, args, env } = temporalPart({ found, dataDir, namespace: 'default', port, uiPort, log: '' });
  const server = spawn(command, [...args, ...dynamicConfig.flatMap((pair) => ['--dynamic-config-value', pair])], { env, stdio: 'ignore' });
  const ended = once(server, 'exit');
  const address = `127.0.0.1:${port}`;
  await untilTemporalServes(address, 'default', AbortSignal.timeout(startMsMax));
  const temporal = await freshNamespace(address);
  return {
    ...temporal,
    close: async () => {
      await temporal.close();
      server.kill('SIGTERM');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
