/** Small JSON files in DATA_DIR, readable by their owner only. They are replaced atomically, so a crash leaves the old or the new content. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { reasonOf, StartError } from '../output/start-error.js';

/** The content of the file; undefined if it does not exist or is not JSON. */
export function readState<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/**
 * Replaces the file. It is synchronous, so that a new process is recorded on disk before anything else happens.
 * @throws StartError with the old file unchanged, for example on a full disk
 */
export function writeState(path: string, value: unknown): void {
  const newPath = `${path}.${process.pid}.new`;
  try {
    write(newPath, `${JSON.stringify(value, null, 2)}\n`);
    renameSync(newPath, path);
  } catch (error) {
    if (existsSync(newPath)) rmSync(newPath);
    throw new StartError(`${path} cannot be written (${reasonOf(error)}): free space on its disk, or correct the rights of its folder.`);
  }
}

function write(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file); // otherwise a power failure may leave an empty file
  } finally {
    closeSync(file);
  }
}
