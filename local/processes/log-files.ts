/** Logs of the parts: each run begins its own, and none grows until it fills the disk. */
import { copyFileSync, existsSync, readdirSync, renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const logBytesMax = 64 << 20;
const lookEveryMs = 60_000;

/** @returns the path of a log that begins now; the one of the last run stays beside it as `.1` */
export function newLog(logDir: string, name: string): string {
  const path = join(logDir, `${name}.log`);
  if (existsSync(path)) renameSync(path, former(path));
  return path;
}

/**
 * From now on begins a log anew that has become too large, until the signal aborts.
 * @param failed is told what went wrong; it is tried again at the next look
 */
export function keepLogsSmall(logDir: string, signal: AbortSignal, failed: (error: unknown) => void): void {
  const look = () => {
    try {
      beginLargeLogs(logDir, logBytesMax);
    } catch (error) {
      failed(error);
    }
  };
  const timer = setInterval(look, lookEveryMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/**
 * Copies each log of more than so many bytes to its `.1` and empties it. The process that writes it holds it open for appending, so it
 * goes on at the new beginning; what it writes between the two steps is lost, as with logrotate's `copytruncate`.
 */
export function beginLargeLogs(logDir: string, bytesMax: number): void {
  const logs = readdirSync(logDir).filter((name) => name.endsWith('.log'));
  for (const path of logs.map((name) => join(logDir, name))) {
    if (statSync(path).size <= bytesMax) continue;
    copyFileSync(path, former(path));
    truncateSync(path);
  }
}

const former = (path: string) => `${path}.1`;
