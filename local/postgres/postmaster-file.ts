/** `postmaster.pid`, which a killed PostgreSQL leaves behind and a new one may misread. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { endProcess, identify, type StopStep } from '../processes/process-identity.js';

/**
 * Makes way for a new server on this cluster: ends one of ours that nobody recorded, and removes the file when its pid
 * belongs to some other program by now or to a zombie. PostgreSQL would take either for a running server and refuse to start.
 * What still uses the cluster without the file it finds by the shared memory.
 */
export async function settlePostmasterFile(clusterDir: string, stop: readonly StopStep[]): Promise<void> {
  const path = join(clusterDir, 'postmaster.pid');
  const pid = pidIn(path);
  if (pid === undefined || !isTaken(pid)) return; // PostgreSQL knows what to do
  const identity = identify(pid);
  const isServerOfThisCluster = commandLine(pid).includes(`postgres -D ${clusterDir} `);
  if (identity !== undefined && isServerOfThisCluster) await endProcess(identity, stop);
  else rmSync(path, { force: true });
}

/** As PostgreSQL sees it, which does not tell a zombie from a process. */
function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pidIn(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

function commandLine(pid: number): string {
  if (process.platform !== 'linux') return spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
