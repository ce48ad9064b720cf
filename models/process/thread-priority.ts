import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** The maximum is 19. With 10, the thread gets about a tenth of a core if another thread of priority 0 wants it too, and all of an idle core. */
const niceness = 10;

/**
 * Lets other threads and processes run before the calling thread, and so before background work. Linux has a niceness per thread
 * (sched(7)). On other systems, the thread keeps the usual priority.
 */
export function lowerThreadPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness);
  } catch {
    // No Linux, or no /proc: the priority is unchanged.
  }
}
