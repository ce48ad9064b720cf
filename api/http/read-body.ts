/** Reads request bodies with a size limit. Bytes are counted while they arrive, and reading stops when there are too many. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { bodyTooLarge, invalidJson } from '../../models/errors.js';
import type { MemoryReservation } from '../../models/flow/memory-budget.js';
import { countChunks, tinyChunksMax } from './tiny-chunks.js';
import { withHeaders } from './errors/error-status.js';

/** The maximum body size, 100 kB. Bulk endpoints declare a larger one. */
export const defaultMaxBytes = 100 * 1024;

const chunksOfBody = { max: tinyChunksMax, bytes: 64 };

/** Requests that were answered before their body arrived. */
const refusedRequests = new WeakSet<IncomingMessage>();
/** Requests whose body is read only to discard it. */
const discarded = new WeakSet<IncomingMessage>();

/** Notes that the connection has an answer to this request already, so that a body that still arrives is not used. */
export const refuseBody = (req: IncomingMessage): void => void refusedRequests.add(req);

/** Whether the request must not be served: it was answered before its body arrived, or the client disconnected before. */
export const isAbandoned = (req: IncomingMessage): boolean => refusedRequests.has(req) || (req.destroyed && !req.readableEnded);

/** Whether `readBody` has refused the body, and discards what still arrives. */
export const isDiscarded = (req: IncomingMessage): boolean => discarded.has(req);

/**
 * Returns the bytes of the body, for any content type. After an error the rest of the body is read and discarded, without decoding it.
 * For an abandoned request it rejects only when the connection is closed: the connection has its answer already.
 * @param memory counts the bytes, and those of a decoder
 * @throws AppError 413 when the body is too large, 400 for an unknown content encoding, for a body that is not in its encoding, for one in thousands of
 * tiny chunks, and when the client disconnects, 503 when the memory budget is used up
 */
export function readBody(req: IncomingMessage, memory: MemoryReservation, maxBytes = defaultMaxBytes): Promise<Buffer> {
  if (!hasBody(req)) return Promise.resolve(Buffer.alloc(0));
  if (req.destroyed) return Promise.reject(invalidJson()); // the client has disconnected, and no event will come
  return new Promise((resolve, reject) => {
    const source = sourceOf(req, memory);
    const chunks: Buffer[] = [];
    let size = 0;
    const discard = () => {
      source.removeListener('data', append);
      chunks.length = 0;
      discardRest(req, source);
    };
    const stop = (error: unknown) => {
      discard();
      reject(error);
    };
    const fail = () => stop(invalidJson());
    const failDecoding = () => stop(invalidJson(source === req ? undefined : `The body is not valid ${encodingOf(req)}`));
    const unlessRefused = (act: () => void) => (refusedRequests.has(req) ? whenClosed(req, fail) : act());
    const append = (chunk: Buffer) => {
      if (refusedRequests.has(req)) {
        discard();
        return whenClosed(req, fail);
      }
      size += chunk.length;
      if (size > maxBytes) return stop(bodyTooLarge());
      try {
        memory.reserve(chunk.length);
      } catch (error) {
        return stop(error);
      }
      chunks.push(chunk);
    };
    if (source === req && Number(req.headers['content-length']) > maxBytes) return stop(bodyTooLarge());
    onTooManyChunks(req, () => stop(invalidJson('The body has too many small chunks')));
    source.on('data', append).once('end', () => unlessRefused(() => resolve(Buffer.concat(chunks))));
    source.once('error', () => unlessRefused(failDecoding));
    req.once('close', () => void (req.readableEnded || fail())); // the client has disconnected
  });
}

function onTooManyChunks(req: IncomingMessage, refuse: () => void): void {
  if (req.headers['transfer-encoding'] === undefined) return;
  const areTooMany = countChunks(chunksOfBody);
  const count = ({ length }: Buffer) => {
    if (!areTooMany(length)) return;
    req.removeListener('data', count);
    refuse();
  };
  req.on('data', count);
}

function discardRest(req: IncomingMessage, source: Readable): void {
  discarded.add(req);
  if (source !== req) {
    req.unpipe();
    source.destroy(); // otherwise it inflates the rest of its input for nobody: 64 kB of gzip are 64 MB
  }
  req.resume();
}

function whenClosed({ socket }: IncomingMessage, act: () => void): void {
  if (socket.destroyed) act();
  else socket.once('close', act);
}

/** Whether the head of the request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** How to decode each encoding. Not br: a body of 14 bytes can make its decoder fill a window of 16 MB before the first byte comes out. */
const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip, // the same (RFC 9110, 8.4.1.3)
  deflate: createInflate,
};
/** What a decoder counts in the memory budget besides the body: its window and its tables. */
const decoderBytes = 64 * 1024;

/**
 * The bytes of the body, decoded: the request itself, or a decoder.
 * @throws AppError 400 for an unknown content encoding, 503 when there is no memory for a decoder
 */
function sourceOf(req: IncomingMessage, memory: MemoryReservation): Readable {
  const encoding = encodingOf(req);
  if (encoding === 'identity') return req;
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decoder === undefined) throw unknownEncoding();
  memory.reserve(decoderBytes);
  return req.pipe(decoder());
}

/** The encoding of the body; an empty header is none. */
const encodingOf = ({ headers }: IncomingMessage): string => headers['content-encoding']?.toLowerCase() || 'identity';

/** In a response, `Accept-Encoding` names the encodings that a request may have (RFC 9110, 12.5.3). */
const unknownEncoding = () =>
  withHeaders(invalidJson('The Content-Encoding must be gzip or deflate, or be absent'), { 'Accept-Encoding': 'gzip, deflate' });
