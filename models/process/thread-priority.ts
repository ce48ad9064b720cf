import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** Of 19: beside a thread of the usual 0 it gets about a tenth of a core that both want, and all of one that nobody wants. */
const niceness = 10;

/**
 * Lets other threads and processes run before the calling thread, and so before work for which nobody waits. Linux keeps a niceness for
 * each thread (sched(7)); where there is no such thing, the thread runs like any other.
 */
export function lowerThreadPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness);
  } catch {
    // No Linux, or no /proc: nothing is promised.
  }
}
