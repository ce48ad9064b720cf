/** Small JSON files in DATA_DIR: readable by their owner only, replaced as a whole, so that a crash leaves the old or the new one. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Content of the file; undefined when it does not exist or is no JSON. */
export function readState<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** Replaces the file. Synchronous: what was just spawned is on disk before anything else can happen. */
export function writeState(path: string, value: unknown): void {
  const newPath = `${path}.${process.pid}.new`;
  const file = openSync(newPath, 'w', 0o600);
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
  fsyncSync(file); // otherwise a power cut may leave the new name with no content
  closeSync(file);
  renameSync(newPath, path);
}
