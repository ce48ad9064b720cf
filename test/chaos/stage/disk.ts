/** A small disk of its own for PostgreSQL, so that "no space left on device" can be had without filling the machine's. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  folder: string;
  /** False where this user may not mount: then it is a plain folder, and it cannot be filled. */
  canBeFilled: boolean;
  /** Takes all space that is left; from now on a write that needs a new block fails with ENOSPC. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  /** Removes it with all that is on it. */
  close(): void;
}

const megabytes = 640;
const chunk = Buffer.alloc(1 << 20);

/** Mounts a tmpfs at the folder, where root may. */
export function openSmallDisk(folder: string): SmallDisk {
  mkdirSync(folder, { recursive: true });
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tidings-chaos', folder]).status === 0;
  const ballast = join(folder, 'ballast');
  return {
    folder,
    canBeFilled: isMounted,
    fill: () => {
      if (isMounted) writeUntilFull(ballast, folder);
    },
    free: () => rmSync(ballast, { force: true }),
    close: () => {
      if (isMounted) spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeUntilFull(path: string, folder: string): void {
  const file = openSync(path, 'a');
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(folder);
      if (bavail === 0) return;
      writeSync(file, chunk, 0, Math.min(chunk.length, bavail * bsize));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}
