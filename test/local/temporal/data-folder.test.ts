/** Where the embedded Temporal keeps its data, and how the launcher connects to it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { guardedFolder, type GuardedFolder } from '../../../harness/stage/guarded-folder.js';
import { launchUntilReady } from '../../../local/processes/launch-until-ready.js';
import { PortBook } from '../../../local/processes/ports.js';
import { temporalPart } from '../../../local/temporal/temporal.js';
import { installedTemporal } from '../../support/temporal/installed-temporal.js';

describe('the data of the embedded Temporal', () => {
  let folder: GuardedFolder;
  beforeEach(() => {
    folder = guardedFolder('temporal');
  });
  afterEach(() => folder.remove());

  it('the embedded Temporal starts twice on data in a folder with characters that have a meaning in URIs', async () => {
    const dataDir = join(folder.path, 'a#b?c%41');
    mkdirSync(dataDir);
    const found = await installedTemporal(folder.path);
    const ports = new PortBook(folder.path);
    const [port, uiPort] = [await ports.choose('temporal'), await ports.choose('temporal_ui')];
    const part = temporalPart({ found, dataDir, namespace: 'default', port, uiPort, log: join(folder.path, 'log') });
    const start = () => launchUntilReady(part, folder.record, new AbortController().signal);
    const above = () => readdirSync(folder.path).filter((name) => name.startsWith('a'));

    await (await start()).end();
    assert.deepEqual(above(), ['a#b?c%41']);
    const file = join(dataDir, 'temporal', 'temporal.db');
    assert.ok(existsSync(file));
    const { ino, mode } = statSync(join(dataDir, 'temporal'));
    await (await start()).end();
    assert.deepEqual([above(), statSync(join(dataDir, 'temporal')).ino, mode & 0o777], [['a#b?c%41'], ino, 0o700]);
  });
});
