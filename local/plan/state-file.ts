/** Small JSON files in DATA_DIR, readable by their owner only. They are replaced atomically, so a crash leaves the old or the new content. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The content of the file; undefined if it does not exist or is not JSON. */
export function readState<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** Replaces the file. It is synchronous, so that a new process is recorded on disk before anything else happens. */
export function writeState(path: string, value: unknown): void {
  const newPath = `${path}.${process.pid}.new`;
  const file = openSync(newPath, 'w', 0o600);
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
  fsyncSync(file); // otherwise a power failure may leave an empty file
  closeSync(file);
  renameSync(newPath, path);
}
