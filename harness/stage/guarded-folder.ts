/** A temporary folder whose processes are stopped when this process ends, even if it is killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunRecord } from '../../local/state/run-record.js';
import { guardFolder } from './guard.js';

export interface GuardedFolder {
  path: string;
  /** The run record to start processes with. Its processes are stopped when this process is killed. */
  record: RunRecord;
  /** Keeps the folder after the end of this process. */
  keep(): void;
  /** Removes the folder. Call it after its processes have ended. */
  remove(): void;
}

/** Creates the folder. Without `keep` or `remove` it is removed when this process ends. */
export function guardedFolder(name: string): GuardedFolder {
  const path = mkdtempSync(join(tmpdir(), `tidings-${name}-`));
  const keep = guardFolder(path);
  const remove = () => {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    keep();
  };
  return { path, record: new RunRecord(path), keep, remove };
}
