/** A small disk for a process, so that it can run out of space without filling the disk of the machine. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  folder: string;
  /** False if this user may not mount. Then it is a plain folder, which cannot be filled. */
  canBeFilled: boolean;
  /** Uses all free space. From now on, a write that needs a new block fails with ENOSPC. */
  fill(): void;
  /** Frees that space. */
  free(): void;
  /** Removes the disk and its content. */
  close(): void;
}

const chunk = Buffer.alloc(1 << 20);

/** Mounts a tmpfs of this size at the folder, if the user is root. */
export function openSmallDisk(folder: string, megabytes: number): SmallDisk {
  mkdirSync(folder, { recursive: true });
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tidings-test', folder]).status === 0;
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
