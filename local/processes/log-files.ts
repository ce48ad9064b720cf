/** Log files of the parts. Each run starts a new file, and a file that grows too large is rotated. */
import { copyFileSync, existsSync, readdirSync, renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const logBytesMax = 64 << 20;
const lookEveryMs = 60_000;

/** Starts a new log file and keeps that of the last run as `.1`. @returns its path */
export function newLog(logDir: string, name: string): string {
  const path = join(logDir, `${name}.log`);
  if (existsSync(path)) renameSync(path, former(path));
  return path;
}

/**
 * Rotates large log files until the signal aborts.
 * @param failed is called with an error; the next check tries again
 */
export function keepLogsSmall(logDir: string, signal: AbortSignal, failed: (error: unknown) => void): void {
  const look = () => {
    try {
      rotateLargeLogs(logDir, logBytesMax);
    } catch (error) {
      failed(error);
    }
  };
  const timer = setInterval(look, lookEveryMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/**
 * Copies each log file larger than `bytesMax` to `.1` and truncates it. The writing process has the file open for appending and continues at
 * its start. Lines written between the two steps are lost, as with logrotate's `copytruncate`.
 */
export function rotateLargeLogs(logDir: string, bytesMax: number): void {
  const logs = readdirSync(logDir).filter((name) => name.endsWith('.log'));
  for (const path of logs.map((name) => join(logDir, name))) {
    if (statSync(path).size <= bytesMax) continue;
    copyFileSync(path, former(path));
    truncateSync(path);
  }
}

const former = (path: string) => `${path}.1`;
