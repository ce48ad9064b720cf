import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';

/**
 * Answers with NDJSON, as fast as it is read and no faster. A reader who goes away ends the work; where that fails the connection is cut, so
 * that what came is known to be incomplete.
 */
export async function streamLines(lines: AsyncIterable<object>, req: Request, res: Response): Promise<void> {
  res.status(200).set('Content-Type', 'application/x-ndjson; charset=utf-8');
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  await pipeline(Readable.from(textOf(lines), { objectMode: false, highWaterMark: 65_536 }), res).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/** In pieces of many lines: each write costs a system call. */
async function* textOf(lines: AsyncIterable<object>): AsyncGenerator<Buffer, void, undefined> {
  let text = '';
  for await (const line of lines) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < 16_384) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
