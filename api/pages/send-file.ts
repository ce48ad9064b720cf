import type { NextFunction, Response } from 'express';

/**
 * Answers with a file. The caller has set the headers for caching.
 * @param name its name in `folder`
 */
export function sendFile(res: Response, folder: string, name: string, next: NextFunction): void {
  // With `root` only the name is checked for parts that begin with a dot. The program may be installed below such a folder.
  const options = { root: folder, lastModified: false, acceptRanges: false, cacheControl: false };
  res.sendFile(name, options, (error?: NodeJS.ErrnoException) => {
    if (error?.code === 'ECONNABORTED') return; // the client has left, and its request is logged as aborted
    if (error !== undefined && !res.headersSent) next(error);
  });
}
