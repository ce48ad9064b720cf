/**
 * Whether a process has this pid, as PostgreSQL checks it: a zombie counts as running. A process of another user cannot be signalled, but it
 * runs.
 */
export function isPidInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
