/** Allows one launcher per DATA_DIR. The lock file contains the identity of its holder, so the lock of a dead process does not block a start. */
import { linkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './process-identity.js';
import { StartError } from '../output/start-error.js';
import { readState, writeState } from '../state/state-file.js';

/**
 * Takes the lock of this folder.
 * @returns a function that releases the lock
 * @throws StartError when a running process holds it
 */
export function takeLock(dataDir: string): () => void {
  const lock = join(dataDir, 'lock.json');
  const mine = `${lock}.${process.pid}`;
  writeState(mine, identify(process.pid));
  try {
    while (!linked(mine, lock)) {
      const holder = readState<ProcessIdentity>(lock);
      if (holder !== undefined && isAlive(holder)) {
        throw new StartError(`Tidings already runs on ${dataDir} (process ${holder.pid}): stop it first, or set another DATA_DIR.`);
      }
      moveAway(lock, mine, holder);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return () => rmSync(lock, { force: true });
}

/** Creates `path` as a hard link to `source`. If several processes try, exactly one succeeds. */
function linked(source: string, path: string): boolean {
  try {
    linkSync(source, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of a dead holder. If another process has replaced the lock since it was read, restores that lock. */
function moveAway(lock: string, mine: string, holder: ProcessIdentity | undefined): void {
  const away = `${mine}.stale`;
  try {
    renameSync(lock, away);
  } catch {
    return; // another start was faster
  }
  const moved = readState<ProcessIdentity>(away);
  if (moved !== undefined && (moved.pid !== holder?.pid || moved.started !== holder.started)) linked(away, lock);
  rmSync(away, { force: true });
}
