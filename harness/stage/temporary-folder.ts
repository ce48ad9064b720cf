import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.js';

/** Creates a folder, which is removed at the end, or kept for its logs if the run fails. */
export function temporaryFolder(name: string, cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), `tidings-${name}-`));
  cleanup.add((hasFailed) => {
    if (hasFailed) process.stderr.write(`The files of the run are in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return folder;
}
