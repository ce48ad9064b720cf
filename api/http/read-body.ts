/** Reads request bodies with a size limit. Bytes are counted while they arrive, and reading stops when there are too many. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { bodyTooLarge, invalidJson } from '../../models/errors.js';
import type { MemoryReservation } from '../../models/flow/memory-budget.js';

/** 100 kB. Bulk endpoints declare a larger limit. */
const defaultMaxBytes = 100 * 1024;

/** Requests that were answered before their body arrived. */
const refused = new WeakSet<IncomingMessage>();

/** Notes that the connection has an answer to this request already, so that a body that still arrives is not used. */
export const refuseBody = (req: IncomingMessage): void => void refused.add(req);

/** Whether the request must not be served: it was answered before its body arrived, or the client disconnected before. */
export const isAbandoned = (req: IncomingMessage): boolean => refused.has(req) || (req.destroyed && !req.readableEnded);

/**
 * Returns the bytes of the body, for any content type. After an error the rest of the body is read and discarded, without decoding it.
 * The body of an abandoned request is an error too, but not before its connection is closed: an answer to the error would be a second answer.
 * @param memory counts the bytes, and those of a decoder
 * @throws AppError 413 when the body is too large, 400 for an unknown content encoding, 503 when the memory budget is used up
 */
export function readBody(req: IncomingMessage, memory: MemoryReservation, maxBytes = defaultMaxBytes): Promise<Buffer> {
  if (!hasBody(req)) return Promise.resolve(Buffer.alloc(0));
  if (req.destroyed) return Promise.reject(invalidJson()); // the client has disconnected, and no event would tell it
  return new Promise((resolve, reject) => {
    const { source, isEncoded } = sourceOf(req, memory);
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (error: unknown) => {
      source.removeListener('data', append);
      chunks.length = 0;
      if (isEncoded) {
        req.unpipe();
        source.destroy(); // otherwise it inflates the rest of its input for nobody: 64 kB of gzip are 64 MB
      }
      req.resume();
      reject(error);
    };
    const append = (chunk: Buffer) => {
      if (refused.has(req)) return;
      size += chunk.length;
      if (size > maxBytes) return stop(bodyTooLarge());
      try {
        memory.reserve(chunk.length);
      } catch (error) {
        return stop(error);
      }
      chunks.push(chunk);
    };
    if (!isEncoded && Number(req.headers['content-length']) > maxBytes) return stop(bodyTooLarge());
    source.on('data', append);
    const fail = () => stop(invalidJson());
    source.once('end', () => (refused.has(req) ? whenClosed(req, fail) : resolve(Buffer.concat(chunks))));
    source.once('error', () => (refused.has(req) ? whenClosed(req, fail) : fail()));
    req.once('close', () => void (req.readableEnded || fail())); // the client has disconnected
  });
}

function whenClosed({ socket }: IncomingMessage, act: () => void): void {
  if (socket.destroyed) act();
  else socket.once('close', act);
}

/** Whether the head of the request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** How to decode each encoding. Not br: a body of 14 bytes can make its decoder fill a window of 16 MB before the first byte comes out. */
const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = { gzip: createGunzip, deflate: createInflate };
/** What a decoder counts in the memory budget besides the body: its window and its tables. */
const decoderBytes = 64 * 1024;

/** @throws AppError 400 for an unknown content encoding, 503 when there is no memory for a decoder */
function sourceOf(req: IncomingMessage, memory: MemoryReservation): { source: Readable; isEncoded: boolean } {
  const encoding = (req.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return { source: req, isEncoded: false };
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decoder === undefined) throw invalidJson();
  memory.reserve(decoderBytes);
  return { source: req.pipe(decoder()), isEncoded: true };
}
