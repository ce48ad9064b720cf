import { createRequire } from 'node:module';

/**
 * Whether Node was started with this module. The command may name it through a symbolic link, or without its suffix.
 * @param file `import.meta.filename` of the module
 */
export function isEntryPoint(file: string): boolean {
  const started = process.argv[1];
  if (started === undefined) return false;
  try {
    return createRequire(file).resolve(started) === file; // as Node itself finds it
  } catch {
    return false; // `-` for the standard input
  }
}
