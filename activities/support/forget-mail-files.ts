import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The maximum life of a token in a mail. Older files are deleted, so that no token can be read later. */
const fileHours = 24;

/**
 * Deletes old mails that were written to files. Another process may do the same at once.
 * @returns the number of files
 */
export async function forgetMailFiles(dataDir: string): Promise<number> {
  const folder = join(dataDir, 'mail');
  const oldest = Date.now() - fileHours * 3_600_000;
  let forgotten = 0;
  for (const name of await namesIn(folder)) {
    if (!name.endsWith('.eml')) continue;
    const file = join(folder, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs >= oldest) continue;
    await rm(file, { force: true });
    forgotten += 1;
  }
  return forgotten;
}

/** No folder: no mail was written to a file here. */
function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
