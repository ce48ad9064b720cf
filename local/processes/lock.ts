/** One launcher per DATA_DIR. The lock names its holder, so a dead holder's lock never blocks anybody. */
import { linkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './process-identity.js';
import { StartError } from '../plan/start-error.js';
import { readState, writeState } from '../plan/state-file.js';

/**
 * Takes the lock of this folder for this process.
 * @returns a function that gives it back
 * @throws StartError when a living process holds it
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

/** Creates `path` as another name of `source`: exactly one of several processes succeeds. */
function linked(source: string, path: string): boolean {
  try {
    linkSync(source, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of a dead holder, and puts back what another start may have placed there since it was read. */
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
