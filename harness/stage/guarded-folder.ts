/** A temporary folder whose processes end with this process, however it ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardFolder } from '../../local/processes/guard.js';
import { RunRecord } from '../../local/processes/run-record.js';

export interface GuardedFolder {
  path: string;
  /** Start processes with this record: what it holds is ended when this process is killed. */
  record: RunRecord;
  /** Keeps the folder when this process ends. */
  keep(): void;
  /** Removes the folder. Call it when its processes have ended. */
  remove(): void;
}

/** Makes it. Without `keep` or `remove` it is removed when this process ends. */
export function guardedFolder(name: string): GuardedFolder {
  const path = mkdtempSync(join(tmpdir(), `tidings-${name}-`));
  const keep = guardFolder(path);
  const remove = () => {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    keep();
  };
  return { path, record: new RunRecord(path), keep, remove };
}
