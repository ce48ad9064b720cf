/** A Temporal server of one test file's own, whose settings would be felt by all other tests. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { guardedFolder } from '../../../harness/stage/guarded-folder.js';
import { findTemporal } from '../../../local/temporal/find-temporal.js';
import { launchUntilReady } from '../../../local/processes/launch-until-ready.js';
import { PortBook } from '../../../local/processes/ports.js';
import { temporalPart } from '../../../local/temporal/temporal.js';
import { freshNamespace, type TestTemporal } from './temporal.js';

export interface OwnTemporal extends TestTemporal {
  /** Stops the server, deletes all that it knew, and starts it again at the same address, with a namespace of the same name and nothing in it. */
  loseData(): Promise<void>;
}

/** @param dynamicConfig as `name=value` */
export async function ownTemporal(dynamicConfig: readonly string[]): Promise<OwnTemporal> {
  const { path: dataDir, record, remove } = guardedFolder('temporal');
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  const noRun = () => Promise.reject(new Error('the program is there: the run has started it already'));
  const found = await findTemporal({ env: { PATH, HOME, XDG_CACHE_HOME }, logDir: dataDir, say: () => undefined, run: noRun });
  const ports = new PortBook(dataDir);
  const port = await ports.choose('temporal');
  const place = {
    found,
    dataDir,
    namespace: 'default',
    port,
    uiPort: await ports.choose('temporal_ui'),
    log: join(dataDir, 'temporal.log'),
  };
  const part = temporalPart(place);
  const args = [...part.args, ...dynamicConfig.flatMap((pair) => ['--dynamic-config-value', pair])];
  const start = () => launchUntilReady({ ...part, args }, record, new AbortController().signal);
  let running = await start();
  const temporal = await freshNamespace(`127.0.0.1:${port}`);
  return {
    ...temporal,
    loseData: async () => {
      await running.end();
      rmSync(join(dataDir, 'temporal'), { recursive: true });
      mkdirSync(join(dataDir, 'temporal'));
      running = await start();
      await temporal.register();
    },
    close: async () => {
      await temporal.close();
      await running.end();
      remove();
    },
  };
}
