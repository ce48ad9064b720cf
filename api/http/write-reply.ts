/** Writes the reply of a handler as an HTTP response. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { Endpoint } from './endpoint.js';
import { linksOf } from './links.js';
import { bufferOn, type Reply } from './reply.js';

/** Writes a JSON response, or a stream of lines where the handler returned one. */
export async function writeReply(item: Endpoint, reply: Reply, req: Request, res: Response, publicUrl: string): Promise<void> {
  if (reply.options.lines === undefined) writeJson(item, reply, req, res, publicUrl);
  else await streamLines(reply.options.lines, req, res);
}

function writeJson(item: Endpoint, { data, options }: Reply, req: Request, res: Response, publicUrl: string): void {
  const link = linksOf(item, req, data, publicUrl);
  if (link !== undefined) res.setHeader('Link', link);
  res.status(options.status ?? item.status ?? 200).set(options.headers ?? {});
  if (options.status === 204) res.end();
  else if (options.json !== undefined) res.type('json').send(bufferOn(options.json));
  else res.json(item.envelope === false ? data : { success: true, data });
}

/**
 * Writes NDJSON, only as fast as the client reads it. If the client disconnects, reading stops. If reading fails, the connection is closed
 * without a last chunk, so that the client knows the response is incomplete.
 */
async function streamLines(lines: AsyncIterable<object>, req: Request, res: Response): Promise<void> {
  res.status(200).set('Content-Type', 'application/x-ndjson; charset=utf-8');
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  await pipeline(Readable.from(chunksOf(lines), { objectMode: false, highWaterMark: 65_536 }), res).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    },
  );
}

/** Joins many lines into one chunk, because each write costs a system call. */
async function* chunksOf(lines: AsyncIterable<object>): AsyncGenerator<Buffer, void, undefined> {
  let text = '';
  for await (const line of lines) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < 16_384) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
