/** A Temporal server for one test file, whose settings would affect all other tests. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { guardedFolder } from '../../../harness/stage/guarded-folder.js';
import { launchUntilReady } from '../../../local/processes/launch-until-ready.js';
import { PortBook } from '../../../local/processes/ports.js';
import { temporalPart } from '../../../local/temporal/temporal.js';
import { installedTemporal } from './installed-temporal.js';
import { freshNamespace, type TestTemporal } from './temporal.js';

export interface OwnTemporal extends TestTemporal {
  /** Stops the server, deletes its data, and restarts it at the same address with an empty namespace of the same name. */
  loseData(): Promise<void>;
}

/** @param dynamicConfig as `name=value` */
export async function ownTemporal(dynamicConfig: readonly string[]): Promise<OwnTemporal> {
  const { path: dataDir, record, remove } = guardedFolder('temporal');
  const found = await installedTemporal(dataDir);
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
