/** Handles `postmaster.pid`. A killed PostgreSQL leaves this file, and a new server may misinterpret it. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { isPidInUse } from '../../models/process/is-pid-in-use.js';
import { endProcess, identify, type StopStep } from '../processes/process-identity.js';

/**
 * Prepares the cluster for a new server. Ends a server of this cluster that the run record does not contain. Removes the file if its pid now
 * belongs to another program or to a zombie, because PostgreSQL would take either for a running server and refuse to start. PostgreSQL
 * itself detects other users of the cluster by its shared memory.
 */
export async function settlePostmasterFile(clusterDir: string, stop: readonly StopStep[]): Promise<void> {
  const path = join(clusterDir, 'postmaster.pid');
  const pid = pidIn(path);
  if (pid === undefined || !isPidInUse(pid)) return; // PostgreSQL handles this case itself
  const identity = identify(pid);
  const isServerOfThisCluster = commandLine(pid).includes(`postgres -D ${clusterDir} `);
  if (identity !== undefined && isServerOfThisCluster) await endProcess(identity, stop);
  else rmSync(path, { force: true });
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
