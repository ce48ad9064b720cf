/** Writes the reply of a handler as an HTTP response. */
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { MemoryBudget } from '../../models/flow/memory-budget.js';
import type { Endpoint } from './endpoint.js';
import { linksOf } from './links.js';
import { bufferOn, type Feed, type JsonBody, type Lines, type Reply, type ReplyOptions } from './reply.js';
import { contextOf } from './request-context.js';

/** What writing uses besides the reply. */
export interface Writing {
  publicUrl: string;
  /** Counts the bytes of large answers to reads while they are in memory. */
  answers: MemoryBudget;
}

/** Answers with at least this length, in UTF-16 units, are counted. The limits of connections bound the memory for smaller ones. */
const countedFrom = 65_536;

/**
 * Writes a JSON response, or a stream of lines or events where the handler returned one. Does not wait for the end of a stream of events.
 * @throws AppError 503 if too many bytes of answers to reads wait for their clients
 */
export async function writeReply(item: Endpoint, reply: Reply, res: Response, writing: Writing): Promise<void> {
  const { body, options } = reply;
  if ('lines' in body) await streamLines(body.lines, options, res).finally(() => body.lines.place.leave());
  else if ('events' in body) streamEvents(body.events, options, res);
  else writeJson(item, { body, options }, res, writing);
}

interface JsonReply {
  body: JsonBody;
  options: ReplyOptions;
}

function writeJson(item: Endpoint, reply: JsonReply, res: Response, { publicUrl, answers }: Writing): void {
  const { options } = reply;
  const body = bodyOf(item, reply);
  // Refusing the answer of an operation that changed something would hide what it did.
  if (res.req.method === 'GET' && item.method === 'get' && body !== null && body.length > countedFrom) countUntilClosed(body, res, answers);
  const link = 'data' in reply.body ? linksOf(item, res.req, reply.body.data, publicUrl) : undefined;
  if (link !== undefined) res.setHeader('Link', link);
  res.status(options.status ?? item.status ?? 200).set(options.headers ?? {});
  if (body === null) res.end();
  else res.type('json').send(body);
}

/** The body in JSON; null if it has none. */
function bodyOf({ envelope }: Endpoint, { body, options: { status } }: JsonReply): string | Buffer | null {
  if (status === 204) return null;
  if ('json' in body) return bufferOn(body.json);
  return JSON.stringify(envelope === false ? body.data : { success: true, data: body.data });
}

/** A client that does not read leaves the answer in memory until the timeout of its connection. */
function countUntilClosed(body: string | Buffer, res: Response, answers: MemoryBudget): void {
  const { workspaceId } = contextOf(res);
  if (workspaceId === undefined || res.closed) return; // closed: it is not written, and there is no event to come
  const memory = answers.reservationFor(workspaceId);
  memory.reserve(Math.min(Buffer.byteLength(body), answers.maxBytesPerOwner)); // so an idle workspace can read anything
  res.once('close', () => memory.release());
}

/**
 * Writes NDJSON, only as fast as the client reads it. If the client disconnects, reading stops. If reading fails, or the place is taken away,
 * the connection is closed without a last chunk, so that the client knows the response is incomplete.
 */
async function streamLines({ of, place }: Lines, options: ReplyOptions, res: Response): Promise<void> {
  res.status(200).set({ ...options.headers, 'Content-Type': 'application/x-ndjson; charset=utf-8' });
  if (res.req.method === 'HEAD') {
    res.end();
    return;
  }
  place.begin(() => reset(res));
  await pipeline(offered(chunksOf(of), place), res).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/**
 * Resets the connection at once. If it were closed, the system would keep what a slow client has not read yet, and a client of HTTP/1.0 would
 * take that for all.
 */
function reset({ req }: Response): void {
  req.socket.resetAndDestroy(); // a response that waits behind another one of its connection has no socket of its own
}

/** The pipeline asks for the next chunk when the client has taken the last one. */
async function* offered(chunks: AsyncIterable<Buffer>, place: Lines['place']): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of chunks) {
    place.offer(chunk.length);
    yield chunk;
    place.taken();
  }
  place.offer(0); // until the response is over, its last bytes wait for the client
}

/** Starts a response of server-sent events. Proxies such as nginx would collect them without the second header. */
function streamEvents(feed: Feed, options: ReplyOptions, res: Response): void {
  res.status(200).set({ ...options.headers, 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
  res.once('close', () => feed.end());
  if (res.closed) {
    feed.end(); // the client left while the stream was opened
  } else if (res.req.method === 'HEAD') {
    res.end();
  } else {
    contextOf(res).isStream = true;
    res.flushHeaders();
    feed.begin(res);
  }
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
